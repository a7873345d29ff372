import { NativeSelect, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { questsQuery, sprintsQuery } from '../api/content.ts'
import type { SnapshotKind, SnapshotRequest } from '../api/snapshots.ts'
import { explore, snapshots as t } from '../texts/index.ts'

/** The list to seal. `ids` is undefined while the choice is incomplete. */
export interface ChosenList {
  kind: SnapshotKind
  ids: SnapshotRequest | undefined
}

interface FieldProps {
  choose: (list: ChosenList) => void
}

const kinds = Object.entries(t.kinds).map(([value, label]) => ({ value, label }))
const nothing = { kind: 'space' as SnapshotKind, id: '', sprint: '' }

export const anyList: ChosenList = { kind: 'space', ids: undefined }

/** Names any list of the installation by its ids. */
export function AnyListFields({ choose }: FieldProps) {
  const [form, setForm] = useState(nothing)
  const change = (part: Partial<typeof nothing>) => {
    const next = { ...form, ...part }
    setForm(next)
    choose({ kind: next.kind, ids: next.id.trim() === '' ? undefined : idsOf(next) })
  }
  return (
    <>
      <NativeSelect
        label={t.kind}
        value={form.kind}
        onChange={(event) => change({ kind: event.currentTarget.value as SnapshotKind })}
        data={kinds}
      />
      <TextInput
        label={t.id}
        value={form.id}
        onChange={(event) => change({ id: event.currentTarget.value })}
        maxLength={100}
        autoComplete="off"
        required
      />
      {form.kind === 'space' && (
        <TextInput
          label={t.sprint}
          description={t.sprintHelp}
          value={form.sprint}
          onChange={(event) => change({ sprint: event.currentTarget.value })}
          maxLength={10}
          inputMode="numeric"
          autoComplete="off"
        />
      )}
    </>
  )
}

/** A text that cannot be read as a number is sent unchanged, so that the service reports the allowed values. */
function idsOf({ kind, id, sprint }: typeof nothing): SnapshotRequest {
  const read = (text: string) => (/^\d+$/.test(text.trim()) ? Number(text) : (text as unknown as number))
  if (kind === 'credential') return { credentialId: id.trim() }
  if (kind === 'quest') return { questId: id.trim() }
  return { spaceId: read(id), ...(sprint.trim() !== '' && { sprintId: read(sprint) }) }
}

/** Names the board of a space, the board of a sprint, or the participants of a quest. */
export function SpaceListFields({ spaceId, choose }: FieldProps & { spaceId: number }) {
  const sprints = useQuery(sprintsQuery(spaceId)).data?.sprints ?? []
  const quests = useQuery(questsQuery(spaceId)).data?.items ?? []
  const [kind, setKind] = useState<SnapshotKind>('space')
  const [sprint, setSprint] = useState('')
  const [quest, setQuest] = useState('')
  const ofSpace = (sprint: string): ChosenList => ({
    kind: 'space',
    ids: sprint === '' ? {} : { sprintId: Number(sprint) },
  })
  const ofQuest = (questId: string): ChosenList => ({ kind: 'quest', ids: questId === '' ? undefined : { questId } })
  return (
    <>
      <NativeSelect
        label={t.kind}
        value={kind}
        onChange={({ currentTarget: { value } }) => {
          setKind(value as SnapshotKind)
          choose(value === 'quest' ? ofQuest(quest) : ofSpace(sprint))
        }}
        data={kinds.filter(({ value }) => value !== 'credential')}
      />
      {kind === 'space' && sprints.length > 0 && (
        <NativeSelect
          label={t.sprint}
          value={sprint}
          onChange={({ currentTarget: { value } }) => {
            setSprint(value)
            choose(ofSpace(value))
          }}
          data={[
            { value: '', label: t.overall },
            ...sprints.map(({ sprintId, name }) => ({
              value: String(sprintId),
              label: explore.space.sprintName(sprintId, name),
            })),
          ]}
        />
      )}
      {kind === 'quest' && quests.length === 0 && <Text size="sm">{t.noQuests}</Text>}
      {kind === 'quest' && quests.length > 0 && (
        <NativeSelect
          label={t.quest}
          value={quest}
          onChange={({ currentTarget: { value } }) => {
            setQuest(value)
            choose(ofQuest(value))
          }}
          data={[{ value: '', label: '' }, ...quests.map(({ id, name }) => ({ value: id, label: name }))]}
        />
      )}
    </>
  )
}
