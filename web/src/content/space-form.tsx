import { Button, Group, Stack, Textarea, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import type { SpaceForm as Form } from '../api/content.ts'
import { content as texts, shell } from '../texts/index.ts'
import { faultsIn, FormFault } from './faults.tsx'

const t = texts.space

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
  const faultAt = faultsIn(error)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save({ ...form, description: form.description || null, slug: form.slug || null })
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
          label={t.slug}
          description={t.slugHelp}
          value={form.slug ?? ''}
          error={faultAt('slug')}
          onChange={(event) => setForm({ ...form, slug: event.currentTarget.value.trim().toLowerCase() })}
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
