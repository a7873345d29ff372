import { Button, Group, Stack, Textarea, TextInput } from '@mantine/core'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import type { SpaceForm as Form } from '../api/content.ts'
import { useUnsavedInput } from '../shell/unsaved.ts'
import { content as texts, shell } from '../texts/index.ts'
import { FormFault, useFaults } from '../shell/form-faults.tsx'
import { slugOf } from './slug-of.ts'

const t = texts.space
/** The settings of a space have no slug: another form publishes its page. */
type Fields = Omit<Form, 'slug'> & { slug?: string | null }
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
export function SpaceForm({ saved, action, pending, error, save, reload, cancel }: FormState<Fields>) {
  const [form, setForm] = useState<Fields>(saved)
  const isNew = saved.slug !== undefined
  const nameField = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (isNew) nameField.current?.focus()
  }, [isNew])
  const [checked, setChecked] = useState(false)
  const isChanged = useUnsavedInput(form, { pending, error })
  const faultAt = useFaults({ pending, error }, form)
  const proposed = slugOf(form.name)
  const validSlug = !form.slug || SLUG.test(form.slug)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setChecked(true)
    if (validSlug) save({ ...form, ...(isNew && { slug: form.slug || null }) })
  }
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm" maw="34rem">
        <TextInput
          ref={nameField}
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
          onChange={(event) => setForm({ ...form, description: event.currentTarget.value || null })}
          autosize
          minRows={3}
          maxRows={12}
        />
        {isNew && (
          <TextInput
            label={t.slug}
            description={t.slugHelp}
            value={form.slug ?? ''}
            error={checked && !validSlug ? t.slugInvalid : faultAt('slug')}
            onChange={(event) => setForm({ ...form, slug: slugIn(event.currentTarget.value) })}
            leftSection="/s/"
            autoComplete="off"
            spellCheck={false}
          />
        )}
        {isNew && !form.slug && proposed !== '' && (
          <div>
            <Button variant="subtle" size="compact-sm" onClick={() => setForm({ ...form, slug: proposed })}>
              {t.useSlug(proposed)}
            </Button>
          </div>
        )}
        <FormFault error={error} shown={['name', 'description', 'slug']} {...(reload && { reload })} />
        <Group>
          <Button type="submit" loading={pending} disabled={form.name.trim() === '' || !isChanged}>
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
