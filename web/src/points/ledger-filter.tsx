import { Button, NativeSelect, Stack, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import type { EditedSprint } from '../api/content.ts'
import type { LedgerFilter } from '../api/points.ts'
import { fieldProblems } from '../shell/field-fault.ts'
import { useFaults } from '../shell/form-faults.tsx'
import type { Save } from '../shell/refused-values.ts'
import { TimeField } from '../shell/time-field.tsx'
import { explore, points as t } from '../texts/index.ts'

const sources = [
  { value: '', label: t.allSources },
  ...Object.entries(t.sources).map(([value, label]) => ({ value, label })),
]

/** The filter that matches all entries. */
export const everything: LedgerFilter = { member: '', source: '', sprintId: '', from: '', to: '' }

/** Whether a field of the filter shows the error. */
export const isAtField = (error: Error) => fieldProblems(error).some(({ field }) => field in everything)

interface FilterProps {
  sprints: readonly EditedSprint[]
  /** The request for the entries. */
  read: Save
  apply: (filter: LedgerFilter) => void
}

/** Chooses the entries that the page lists. */
export function Filter({ sprints, read, apply }: FilterProps) {
  const [form, setForm] = useState(everything)
  const faultAt = useFaults(read, form)
  const change = (part: Partial<LedgerFilter>) => setForm({ ...form, ...part })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const chosen = { ...form, member: form.member.trim() }
    apply(Object.values(chosen).every((value) => value === '') ? everything : chosen)
  }
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <div className="line-form">
          <TextInput
            label={t.address}
            description={t.addressHelp}
            value={form.member}
            error={faultAt('member')}
            onChange={(event) => change({ member: event.currentTarget.value })}
            maxLength={320}
            autoComplete="off"
            spellCheck={false}
            className="wide-field"
          />
          <NativeSelect
            label={t.source}
            value={form.source}
            onChange={(event) => change({ source: event.currentTarget.value })}
            data={sources}
          />
          {sprints.length > 0 && (
            <NativeSelect
              label={t.sprint}
              value={form.sprintId}
              onChange={(event) => change({ sprintId: event.currentTarget.value })}
              data={[
                { value: '', label: t.allSprints },
                { value: '0', label: t.withoutSprint },
                ...sprints.map(({ sprintId, name }) => ({
                  value: String(sprintId),
                  label: explore.space.sprintName(sprintId, name),
                })),
              ]}
            />
          )}
        </div>
        <div className="line-form">
          <TimeField
            label={t.from}
            value={form.from || null}
            error={faultAt('from')}
            onChange={(from) => change({ from: from ?? '' })}
          />
          <TimeField
            label={t.to}
            value={form.to || null}
            error={faultAt('to')}
            onChange={(to) => change({ to: to ?? '' })}
          />
          <Button type="submit" variant="default">
            {t.filter}
          </Button>
        </div>
      </Stack>
    </form>
  )
}
