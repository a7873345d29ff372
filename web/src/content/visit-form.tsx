import { Button, Stack, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import type { VisitForm as Visit } from '../api/sources.ts'
import { content as texts } from '../texts/index.ts'
import { faultsIn, FormFault } from './faults.tsx'

const t = texts.source

export interface SourceFormState<T> {
  /** Undefined without a source of this kind. */
  saved: T | undefined
  pending: boolean
  error: Error | null
  save: (form: T) => void
}

/** The page that members visit. */
export function VisitForm({ saved, pending, error, save }: SourceFormState<Visit>) {
  const [target, setTarget] = useState(saved?.target ?? '')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save({ kind: 'VISIT_LINK', target: target.trim() })
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
          error={faultsIn(error)('source.target')}
          onChange={(event) => setTarget(event.currentTarget.value)}
          required
        />
        <FormFault error={error} shown={['source.target']} />
        <Button type="submit" loading={pending} disabled={target.trim() === ''}>
          {t.save}
        </Button>
      </Stack>
    </form>
  )
}
