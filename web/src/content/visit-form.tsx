import { Button, Group, Stack, TextInput } from '@mantine/core'
import { type FormEvent, type ReactNode, useState } from 'react'
import type { VisitForm as Visit } from '../api/sources.ts'
import { useUnsavedInput } from '../shell/unsaved.ts'
import { content as texts } from '../texts/index.ts'
import { FormFault, useFaults } from '../shell/form-faults.tsx'

const t = texts.source

export interface SourceFormState<T> {
  /** Undefined without a source of this kind. */
  saved: T | undefined
  /** The label of the button that saves. */
  action: string
  pending: boolean
  error: Error | null
  save: (form: T) => void
  /** The button that removes the stored source. */
  remove: ReactNode
}

/** The page that members visit. */
export function VisitForm({ saved, action, pending, error, save, remove }: SourceFormState<Visit>) {
  const [target, setTarget] = useState(saved?.target ?? '')
  useUnsavedInput(target, { pending, error })
  const isPage = URL.parse(target.trim())?.protocol === 'https:'
  const [checked, setChecked] = useState(false)
  const faultAt = useFaults({ pending, error }, { source: { target } })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setChecked(true)
    if (isPage) save({ kind: 'VISIT_LINK', target: target.trim() })
  }
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm" align="flex-start">
        <TextInput
          type="url"
          className="content-lines"
          label={t.target}
          placeholder="https://"
          value={target}
          error={checked && !isPage ? t.targetInvalid : faultAt('source.target')}
          onChange={(event) => setTarget(event.currentTarget.value)}
          required
        />
        <FormFault error={error} shown={['source.target']} />
        <Group>
          <Button type="submit" loading={pending}>
            {action}
          </Button>
          {isPage && (
            <Button component="a" href={target.trim()} target="_blank" rel="noopener noreferrer" variant="default">
              {t.testVisit}
            </Button>
          )}
          {remove}
        </Group>
      </Stack>
    </form>
  )
}
