import { Button, Group, NativeSelect, Stack, Textarea, TextInput } from '@mantine/core'
import { type FormEvent, type ReactNode, useState } from 'react'
import { CRED_SOURCES, CRED_TYPES, type CredentialForm as Form } from '../api/content.ts'
import { Section } from '../shell/section.tsx'
import { content as texts } from '../texts/index.ts'
import { faultsIn, FormFault } from './faults.tsx'
import type { FormState } from './space-form.tsx'
import './content.css'

const t = texts.credential
const FIELDS = ['name', 'description', 'credType', 'credSource', 'chain', 'referenceLink']

/** The fields of a credential. Its holders come from imports or from its source. */
export function CredentialForm({
  saved,
  action,
  pending,
  error,
  save,
  reload,
  children,
}: FormState<Form> & { children?: ReactNode }) {
  const [form, setForm] = useState<Form>(saved)
  const faultAt = faultsIn(error)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save(form)
  }
  const sources = [...new Set([...CRED_SOURCES, form.credSource])]
  return (
    <form onSubmit={submit} noValidate>
      <Section title={t.one}>
        <Stack gap="sm">
          <div className="content-fields">
            <TextInput
              className="content-wide"
              label={t.name}
              value={form.name}
              error={faultAt('name')}
              onChange={(event) => setForm({ ...form, name: event.currentTarget.value })}
              autoComplete="off"
              required
            />
            <Textarea
              className="content-wide"
              label={t.description}
              value={form.description}
              error={faultAt('description')}
              onChange={(event) => setForm({ ...form, description: event.currentTarget.value })}
              autosize
              minRows={2}
              maxRows={12}
            />
            <NativeSelect
              label={t.credType}
              value={form.credType}
              error={faultAt('credType')}
              onChange={(event) => setForm({ ...form, credType: event.currentTarget.value })}
              data={CRED_TYPES.map((value) => ({ value, label: t.types[value] ?? value }))}
            />
            <NativeSelect
              label={t.credSource}
              value={form.credSource}
              error={faultAt('credSource')}
              onChange={(event) => setForm({ ...form, credSource: event.currentTarget.value })}
              data={sources}
            />
            <TextInput
              label={t.chain}
              value={form.chain ?? ''}
              error={faultAt('chain')}
              onChange={(event) => setForm({ ...form, chain: event.currentTarget.value || null })}
              autoComplete="off"
            />
            <TextInput
              type="url"
              label={t.referenceLink}
              description={t.referenceLinkHelp}
              placeholder="https://"
              value={form.referenceLink}
              error={faultAt('referenceLink')}
              onChange={(event) => setForm({ ...form, referenceLink: event.currentTarget.value })}
            />
          </div>
          <FormFault error={error} shown={FIELDS} {...(reload && { reload })} />
          <Group>
            <Button type="submit" loading={pending} disabled={form.name.trim() === ''}>
              {action}
            </Button>
            {children}
          </Group>
        </Stack>
      </Section>
    </form>
  )
}
