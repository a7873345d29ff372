import { Button, Group, NativeSelect, Stack, Switch, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import {
  createSnapshot,
  previewSnapshot,
  type SnapshotKind,
  type SnapshotPreview,
  type SnapshotRequest,
} from '../api/snapshots.ts'
import { atTime } from '../shell/dates.ts'
import { Fault } from '../shell/fault.tsx'
import { number } from '../shell/numbers.ts'
import { Section } from '../shell/section.tsx'
import { operator as texts } from '../texts/index.ts'

const t = texts.snapshots
const kinds = Object.entries(t.kinds).map(([value, label]) => ({ value, label }))
const labels = { spaceId: t.id, credentialId: t.id, questId: t.id, sprintId: t.sprint, at: t.at }

/** Counts a list first, and seals exactly what was counted. */
export function SnapshotForm() {
  const [kind, setKind] = useState<SnapshotKind>('space')
  const [id, setId] = useState('')
  const [sprint, setSprint] = useState('')
  const [at, setAt] = useState('')
  const [isPublic, setPublic] = useState(false)
  const preview = useMutation({ mutationFn: previewSnapshot })
  const create = useMutation({ mutationFn: createSnapshot, onSuccess: () => preview.reset() })
  const ids = requestOf(kind, id.trim(), sprint.trim())
  /** A change of the form ends the preview, which is of another list. */
  const changed = <Value,>(set: (value: Value) => void) => {
    return (value: Value) => {
      set(value)
      preview.reset()
      create.reset()
    }
  }
  const count = (event: FormEvent) => {
    event.preventDefault()
    create.reset()
    preview.mutate({ ...ids, ...(at.trim() !== '' && { at: at.trim() }) })
  }
  const seal = ({ asOf }: SnapshotPreview) =>
    create.mutate({ ...ids, ...(kind !== 'credential' && { at: asOf }), public: isPublic })
  return (
    <Section title={t.add} lead={t.addLead}>
      <form onSubmit={count}>
        <Stack gap="sm" maw="34rem">
          <NativeSelect
            label={t.kind}
            value={kind}
            onChange={(event) => changed(setKind)(event.currentTarget.value as SnapshotKind)}
            data={kinds}
          />
          <TextInput
            label={t.id}
            value={id}
            onChange={(event) => changed(setId)(event.currentTarget.value)}
            maxLength={100}
            autoComplete="off"
            required
          />
          {kind === 'space' && (
            <TextInput
              label={t.sprint}
              description={t.sprintHelp}
              value={sprint}
              onChange={(event) => changed(setSprint)(event.currentTarget.value)}
              maxLength={10}
              inputMode="numeric"
              autoComplete="off"
            />
          )}
          {kind !== 'credential' && (
            <TextInput
              label={t.at}
              description={t.atHelp}
              value={at}
              onChange={(event) => changed(setAt)(event.currentTarget.value)}
              maxLength={40}
              autoComplete="off"
            />
          )}
          <Switch
            label={t.public}
            description={t.publicHelp}
            checked={isPublic}
            onChange={(event) => setPublic(event.currentTarget.checked)}
          />
          <Fault error={preview.error ?? create.error} labels={labels} />
          {preview.data && <PreviewFacts preview={preview.data} />}
          <Group>
            <Button
              type="submit"
              variant={preview.data ? 'default' : 'filled'}
              loading={preview.isPending}
              disabled={id.trim() === ''}
            >
              {t.count}
            </Button>
            {preview.data && (
              <Button loading={create.isPending} onClick={() => seal(preview.data)}>
                {t.seal}
              </Button>
            )}
          </Group>
        </Stack>
      </form>
    </Section>
  )
}

function PreviewFacts({ preview }: { preview: SnapshotPreview }) {
  const { kind, name, asOf, members, points, leaves, leftOut, banned, bytes } = preview
  const facts = [
    t.members(members),
    ...(kind === 'space' ? [t.points(points)] : []),
    t.leaves(leaves),
    t.leftOut(leftOut),
    ...(banned > 0 ? [t.banned(banned)] : []),
    t.size(number(Math.ceil(bytes / 1e6))),
  ]
  return (
    <div className="inset" role="status">
      <Text fw={500}>{t.previewOf(name, atTime(asOf))}</Text>
      <Text size="sm">{facts.join(' · ')}</Text>
    </div>
  )
}

/** A text that cannot be read as a number is sent unchanged, so that the service reports the allowed values. */
function requestOf(kind: SnapshotKind, id: string, sprint: string): SnapshotRequest {
  const read = (text: string) => (/^\d+$/.test(text) ? Number(text) : (text as unknown as number))
  if (kind === 'credential') return { credentialId: id }
  if (kind === 'quest') return { questId: id }
  return { spaceId: read(id), ...(sprint !== '' && { sprintId: read(sprint) }) }
}
