import { Textarea, TextInput } from '@mantine/core'
import { serverApi as texts } from '../texts/index.ts'
import type { AppFieldsProps, Details } from './app-form.ts'

const t = texts.apps.form

/** The fields of an app that users and operators read. */
export function DetailsFields({ form, change, faultOf }: AppFieldsProps<Details>) {
  return (
    <>
      <TextInput
        label={t.name}
        description={t.nameHelp}
        value={form.name}
        error={faultOf('name')}
        onChange={(event) => change({ name: event.currentTarget.value })}
        maxLength={80}
        required
      />
      <TextInput
        label={t.homepage}
        type="url"
        value={form.homepage}
        error={faultOf('homepage')}
        placeholder="https://"
        onChange={(event) => change({ homepage: event.currentTarget.value })}
      />
      <Textarea
        label={t.purpose}
        description={t.purposeHelp}
        value={form.purpose}
        error={faultOf('purpose')}
        onChange={(event) => change({ purpose: event.currentTarget.value })}
        rows={3}
        required
      />
    </>
  )
}
