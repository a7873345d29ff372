import { NativeSelect, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { questsQuery, sprintsQuery } from '../api/content.ts'
import type { SnapshotKind, SnapshotRequest } from '../api/snapshots.ts'
import { Picker } from '../pickers/picker.tsx'
import { credentials, quests, questsOf, spaces } from '../pickers/source.ts'
import { Loading } from '../shell/loading.tsx'
import { LoadFailure } from '../shell/load-failure.tsx'
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
const sources = { space: spaces, credential: credentials, quest: quests }
const nothing = { kind: 'space' as SnapshotKind, id: '', sprint: '' }

export const anyList: ChosenList = { kind: 'space', ids: undefined }

/** Names any list of the installation by its ids. */
export function AnyListFields({ choose }: FieldProps) {
  const [form, setForm] = useState(nothing)
  const change = (part: Partial<typeof nothing>) => {
    const next = { ...form, ...part }
    setForm(next)
    choose({ kind: next.kind, ids: next.id === '' ? undefined : idsOf(next) })
  }
  return (
    <>
      <NativeSelect
        label={t.kind}
        value={form.kind}
        onChange={(event) => change({ ...nothing, kind: event.currentTarget.value as SnapshotKind })}
        data={kinds}
      />
      <Picker
        key={form.kind}
        single
        source={sources[form.kind]}
        label={t.objects[form.kind]}
        value={form.id === '' ? [] : [form.id]}
        onChange={([id = '']) => change({ id, sprint: '' })}
        required
      />
      {form.kind === 'space' && form.id !== '' && (
        <SprintField spaceId={Number(form.id)} value={form.sprint} onChange={(sprint) => change({ sprint })} />
      )}
    </>
  )
}

function idsOf({ kind, id, sprint }: typeof nothing): SnapshotRequest {
  if (kind === 'credential') return { credentialId: id }
  if (kind === 'quest') return { questId: id }
  return { spaceId: Number(id), ...(sprint !== '' && { sprintId: Number(sprint) }) }
}

/** Names the board of a space, the board of a sprint, or the participants of a quest. */
export function SpaceListFields({ spaceId, choose }: FieldProps & { spaceId: number }) {
  const [kind, setKind] = useState<SnapshotKind>('space')
  const [sprint, setSprint] = useState('')
  const [quest, setQuest] = useState('')
  const ofSpace = (sprint: string): ChosenList => ({
    kind: 'space',
    ids: sprint === '' ? {} : { sprintId: Number(sprint) },
  })
  const ofQuest = (questId: string): ChosenList => ({
    kind: 'quest',
    ids: questId === '' ? undefined : { questId },
  })
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
      {kind === 'space' && (
        <SprintField
          spaceId={spaceId}
          value={sprint}
          onChange={(value) => {
            setSprint(value)
            choose(ofSpace(value))
          }}
        />
      )}
      {kind === 'quest' && (
        <QuestField
          spaceId={spaceId}
          value={quest}
          onChange={(value) => {
            setQuest(value)
            choose(ofQuest(value))
          }}
        />
      )}
    </>
  )
}

interface PartProps {
  spaceId: number
  value: string
  onChange: (value: string) => void
}

/** Spaces without sprints have only the overall board. */
function SprintField({ spaceId, value, onChange }: PartProps) {
  const list = useQuery(sprintsQuery(spaceId))
  if (list.isPending) return <Loading rows={1} />
  if (list.isError) return <LoadFailure error={list.error} retry={() => void list.refetch()} />
  const { sprints } = list.data
  if (sprints.length === 0) return null
  return (
    <NativeSelect
      label={t.sprint}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      data={[
        { value: '', label: t.overall },
        ...sprints.map(({ sprintId, name }) => ({
          value: String(sprintId),
          label: explore.space.sprintName(sprintId, name),
        })),
      ]}
    />
  )
}

function QuestField({ spaceId, value, onChange }: PartProps) {
  const list = useQuery(questsQuery(spaceId))
  if (list.isPending) return <Loading rows={1} />
  if (list.isError) return <LoadFailure error={list.error} retry={() => void list.refetch()} />
  if (list.data.items.length === 0) return <Text size="sm">{t.noQuests}</Text>
  return (
    <Picker
      single
      source={questsOf(spaceId)}
      label={t.quest}
      value={value === '' ? [] : [value]}
      onChange={([id = '']) => onChange(id)}
      required
    />
  )
}
