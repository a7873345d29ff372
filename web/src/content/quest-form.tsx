import { Button, Group, Stack } from '@mantine/core'
import { type FormEvent, type ReactNode, useEffect, useState } from 'react'
import type { QuestForm as Form } from '../api/content.ts'
import { useUnsaved } from '../shell/unsaved.ts'
import { content as texts } from '../texts/index.ts'
import type { FaultAt } from '../shell/fault-at.ts'
import { FormFault, useFaults } from '../shell/form-faults.tsx'
import { GroupFields } from './group-fields.tsx'
import { GroupPreview } from './group-preview.tsx'
import { QUEST_FIELDS, QuestFields } from './quest-fields.tsx'
import { endsAfterStart } from './period.ts'
import type { FormState } from './space-form.tsx'
import './content.css'

interface QuestFormProps extends FormState<Form> {
  spaceId: number
  /** Called when the form gets its first unsaved change, and when it has none any more. */
  onChanged?: (changed: boolean) => void
  /** Additional buttons next to the save button. */
  children?: ReactNode
}

/** All fields of a quest with its groups. */
export function QuestForm({
  spaceId,
  saved,
  action,
  pending,
  error,
  save,
  reload,
  onChanged,
  children,
}: QuestFormProps) {
  const [form, setForm] = useState<Form>(saved)
  const [checked, setChecked] = useState(false)
  const changed = JSON.stringify(form) !== JSON.stringify(saved)
  useUnsaved(changed)
  useEffect(() => onChanged?.(changed), [onChanged, changed])
  const missing = missingCredentials(form)
  const rejected = useFaults({ pending, error }, form)
  const ordered = endsAfterStart(form)
  const faultAt: FaultAt = (path) => {
    if (checked && missing.includes(path)) return texts.groups.chooseCredential
    if (checked && !ordered && path === 'endTime') return texts.sprints.endsBeforeStart
    return rejected(path)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setChecked(true)
    if (missing.length === 0 && ordered) save(form)
  }
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <QuestFields form={form} faultAt={faultAt} onChange={(changes) => setForm({ ...form, ...changes })} />
        <GroupFields
          spaceId={spaceId}
          groups={form.credentialGroups}
          faultAt={faultAt}
          onChange={(credentialGroups) => setForm({ ...form, credentialGroups })}
        />
        <GroupPreview spaceId={spaceId} groups={form.credentialGroups} />
        <FormFault error={error} shown={[...QUEST_FIELDS, 'credentialGroups']} {...(reload && { reload })} />
        <Group className="content-actions">
          <Button type="submit" loading={pending} disabled={form.name.trim() === ''}>
            {action}
          </Button>
          {children}
        </Group>
      </Stack>
    </form>
  )
}

/** The paths of conditions without a credential. */
const missingCredentials = ({ credentialGroups }: Form): string[] =>
  credentialGroups.flatMap(({ conditions }, group) =>
    conditions.flatMap(({ credentialId }, place) =>
      credentialId === '' ? [`credentialGroups[${group}].conditions[${place}].credentialId`] : [],
    ),
  )
