import { Button, Group, Stack, Textarea, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import type { SpaceForm as Form } from '../api/content.ts'
import { useUnsavedInput } from '../shell/unsaved.ts'
import { content as texts, shell } from '../texts/index.ts'
import { FormFault, useFaults } from '../shell/form-faults.tsx'

const t = texts.space
/** The ID of the field for the public page. */
export const SLUG_PLACE = 'public-page'
/** The same rule as in the service. */
const SLUG = /^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/

export interface FormState<Form> {
  saved: Form
  action: string
  pending: boolean
  error: Error | null
  save: (form: Form) => void
  reload?: () => void
  cancel?: () => void
}

/** The settings of a space, also of a new one. */
export function SpaceForm({ saved, action, pending, error, save, reload, cancel }: FormState<Form>) {
  const [form, setForm] = useState<Form>(saved)
  const [checked, setChecked] = useState(false)
  useUnsavedInput(form, { pending, error })
  const faultAt = useFaults(error, form)
  const validSlug = !form.slug || SLUG.test(form.slug)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setChecked(true)
    if (validSlug) save({ ...form, description: form.description || null, slug: form.slug || null })
  }
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm" maw="34rem">
        <TextInput
          label={t.name}
          value={form.name}
          error={faultAt('name')}
          onChange={(event) => setForm({ ...form, name: event.currentTarget.value })}
          autoComplete="off"
          required
        />
        <Textarea
          label={t.description}
          value={form.description ?? ''}
          error={faultAt('description')}
          onChange={(event) => setForm({ ...form, description: event.currentTarget.value })}
          autosize
          minRows={3}
          maxRows={12}
        />
        <TextInput
          id={SLUG_PLACE}
          label={t.slug}
          description={t.slugHelp}
          value={form.slug ?? ''}
          error={checked && !validSlug ? t.slugInvalid : faultAt('slug')}
          onChange={(event) => setForm({ ...form, slug: slugIn(event.currentTarget.value) })}
          leftSection="/s/"
          autoComplete="off"
          spellCheck={false}
        />
        <FormFault error={error} shown={['name', 'description', 'slug']} {...(reload && { reload })} />
        <Group>
          <Button type="submit" loading={pending} disabled={form.name.trim() === ''}>
            {action}
          </Button>
          {cancel && (
            <Button variant="default" onClick={cancel}>
              {shell.cancel}
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  )
}

/** Spaces become hyphens, because users often paste the name of the space. */
const slugIn = (text: string) => text.trimStart().toLowerCase().replace(/\s+/g, '-')
