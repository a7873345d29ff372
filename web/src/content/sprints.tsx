import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import {
  changeSprint,
  createSprint,
  deleteSprint,
  type EditedSprint,
  type SprintForm as Form,
  sprintsQuery,
  type EffectiveRole,
} from '../api/content.ts'
import { ConfirmButton } from '../shell/confirm-button.tsx'
import { atTime } from '../shell/dates.ts'
import { EmptyLine } from '../shell/empty.tsx'
import { Fault } from '../shell/fault.tsx'
import { Section } from '../shell/section.tsx'
import { toast } from '../shell/toasts.tsx'
import { LoadFailure } from '../shell/load-failure.tsx'
import { content as texts, explore, shell } from '../texts/index.ts'
import { FormFault, useFaults } from '../shell/form-faults.tsx'
import { endsAfterStart } from './period.ts'
import { mayEdit, mayManage } from './rights.ts'
import { useFirst } from './use-first.tsx'
import { TimeField } from '../shell/time-field.tsx'
import { useUnsavedInput } from '../shell/unsaved.ts'
import { useMutation } from '../shell/use-mutation.ts'

const t = texts.sprints
const empty = { name: '', startTime: null, endTime: null }

/** The sprints of a space, which its page has already loaded. */
export function Sprints({ spaceId, standing }: { spaceId: number; standing: EffectiveRole }) {
  const list = useQuery({ ...sprintsQuery(spaceId), refetchOnMount: false })
  const [adding, setAdding] = useState(false)
  // The newest first.
  const sprints = list.data?.sprints.toSorted((a, b) => b.sprintId - a.sprintId) ?? []
  const first = useFirst(
    sprints.map((sprint) => (
      <SprintRow
        key={sprint.sprintId}
        spaceId={spaceId}
        sprint={sprint}
        standing={standing}
        reload={() => void list.refetch()}
      />
    )),
    t.all,
  )
  const isEmpty = list.data?.sprints.length === 0
  const button = mayEdit(standing) && (
    <Button variant="default" aria-controls={first.listId} onClick={() => setAdding(true)}>
      {t.add}
    </Button>
  )
  return (
    <Section title={t.title} {...(!isEmpty && { lead: t.lead })}>
      {list.isError && <LoadFailure error={list.error} retry={() => void list.refetch()} />}
      {isEmpty && !adding && (
        <EmptyLine title={t.none} text={t.noneText}>
          <div>{button}</div>
        </EmptyLine>
      )}
      <ul id={first.listId} className="rows">
        {first.rows}
      </ul>
      {adding && (
        <SprintForm
          saved={empty}
          action={texts.create}
          store={(form) => createSprint(spaceId, form)}
          done={({ name }) => toast(texts.created(name))}
          close={() => setAdding(false)}
        />
      )}
      {!isEmpty && !adding && (
        <Group gap="sm">
          {first.button}
          {button}
        </Group>
      )}
    </Section>
  )
}

interface SprintRowProps {
  spaceId: number
  sprint: EditedSprint
  standing: EffectiveRole
  reload: () => void
}

function SprintRow({ spaceId, sprint, standing, reload }: SprintRowProps) {
  const { sprintId, name, version } = sprint
  const [editing, setEditing] = useState(false)
  const remove = useMutation({
    mutationFn: () => deleteSprint(spaceId, sprintId),
    onSuccess: () => toast(texts.deleted(name)),
  })
  if (editing)
    return (
      <li className="row">
        <SprintForm
          key={version}
          saved={sprint}
          action={shell.save}
          store={(form) => changeSprint(spaceId, sprintId, { ...form, version })}
          done={() => toast(texts.saved)}
          close={() => setEditing(false)}
          reload={reload}
        />
      </li>
    )
  return (
    <li className="row">
      <div className="row-main">
        <Text fw={500}>{explore.space.sprintName(sprintId, name)}</Text>
        <Text size="sm" c="dimmed">
          {periodOf(sprint)}
        </Text>
        <Fault error={remove.error} />
      </div>
      <Group gap="xs">
        {mayEdit(standing) && (
          <Button
            size="xs"
            variant="default"
            aria-label={texts.editNamed(name || texts.id(String(sprintId)))}
            onClick={() => setEditing(true)}
          >
            {texts.edit}
          </Button>
        )}
        {mayManage(standing) && (
          <ConfirmButton
            label={texts.delete}
            name={texts.deleteNamed(name || texts.id(String(sprintId)))}
            question={t.question}
            pending={remove.isPending}
            onConfirm={() => remove.mutate()}
          />
        )}
      </Group>
    </li>
  )
}

function periodOf({ startTime, endTime }: Form): string {
  if (startTime !== null && endTime !== null) return explore.period(atTime(startTime), atTime(endTime))
  if (startTime !== null) return explore.periodFrom(atTime(startTime))
  return endTime === null ? explore.periodOpen : explore.periodUntil(atTime(endTime))
}

interface SprintFormProps {
  saved: Form
  action: string
  store: (form: Form) => Promise<EditedSprint>
  done: (sprint: EditedSprint) => void
  close: () => void
  reload?: () => void
}

function SprintForm({ saved, action, store, done, close, reload }: SprintFormProps) {
  const [form, setForm] = useState<Form>({ name: saved.name, startTime: saved.startTime, endTime: saved.endTime })
  const save = useMutation({
    mutationFn: () => store(form),
    onSuccess: (sprint) => {
      done(sprint)
      close()
    },
  })
  const [checked, setChecked] = useState(false)
  const isChanged = useUnsavedInput(form, { pending: save.isPending, error: save.error })
  const faultAt = useFaults({ pending: save.isPending, error: save.error }, form)
  const ordered = endsAfterStart(form)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setChecked(true)
    if (ordered) save.mutate()
  }
  return (
    <form onSubmit={submit} className="inset" noValidate>
      <Stack gap="sm" maw="34rem">
        <TextInput
          label={t.name}
          value={form.name}
          error={faultAt('name')}
          onChange={(event) => setForm({ ...form, name: event.currentTarget.value })}
          autoComplete="off"
          required
        />
        <TimeField
          label={t.startTime}
          value={form.startTime}
          error={faultAt('startTime')}
          onChange={(startTime) => setForm({ ...form, startTime })}
        />
        <TimeField
          label={t.endTime}
          value={form.endTime}
          error={checked && !ordered ? t.endsBeforeStart : faultAt('endTime')}
          onChange={(endTime) => setForm({ ...form, endTime })}
        />
        <FormFault error={save.error} shown={['name', 'startTime', 'endTime']} {...(reload && { reload })} />
        <Group>
          <Button type="submit" loading={save.isPending} disabled={form.name.trim() === '' || !isChanged}>
            {action}
          </Button>
          <Button variant="default" onClick={close}>
            {shell.cancel}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
