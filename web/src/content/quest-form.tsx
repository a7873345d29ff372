import { Button, Group, Stack } from '@mantine/core'
import { type FormEvent, type ReactNode, useState } from 'react'
import type { QuestForm as Form } from '../api/content.ts'
import { content as texts } from '../texts/index.ts'
import { type FaultAt, faultsIn, FormFault } from './faults.tsx'
import { GroupFields } from './group-fields.tsx'
import { GroupPreview } from './group-preview.tsx'
import { QUEST_FIELDS, QuestFields } from './quest-fields.tsx'
import type { FormState } from './space-form.tsx'
import './content.css'

interface QuestFormProps extends FormState<Form> {
  spaceId: number
  /** Additional buttons next to the save button. */
  children?: ReactNode
}

/** All fields of a quest with its groups. */
export function QuestForm({ spaceId, saved, action, pending, error, save, reload, children }: QuestFormProps) {
  const [form, setForm] = useState<Form>(saved)
  const [checked, setChecked] = useState(false)
  const missing = missingCredentials(form)
  const rejected = faultsIn(error)
  const faultAt: FaultAt = (path) =>
    checked && missing.includes(path) ? texts.groups.chooseCredential : rejected(path)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setChecked(true)
    if (missing.length === 0) save(form)
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
