import { Anchor, Badge, Button, Group, Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { FORMATS, type Snapshot, type Snapshots } from '../api/snapshots.ts'
import { ConfirmButton } from '../shell/confirm-button.tsx'
import { CopyValues } from '../shell/copy-values.tsx'
import { atTime } from '../shell/dates.ts'
import { Empty } from '../shell/empty.tsx'
import { Fault } from '../shell/fault.tsx'
import { Loading } from '../shell/loading.tsx'
import { MoreButton } from '../shell/more-button.tsx'
import { Section } from '../shell/section.tsx'
import { toast } from '../shell/toasts.tsx'
import { LoadFailure } from '../shell/load-failure.tsx'
import { useMutation } from '../shell/use-mutation.ts'
import { shell, snapshots as t } from '../texts/index.ts'
import { MemberLookup } from './member-lookup.tsx'
import { SnapshotForm } from './snapshot-form.tsx'

const colours: Record<Snapshot['state'], string> = { waiting: 'blue', sealed: 'teal', failed: 'red' }

/** Sealed lists: counting and sealing new ones, downloads, and deletion. */
export function SnapshotList({ of }: { of: Snapshots }) {
  const list = useInfiniteQuery(of.query)
  const snapshots = list.data?.pages.flatMap(({ items }) => items) ?? []
  return (
    <>
      <SnapshotForm of={of} />
      <Section title={t.all}>
        {list.isPending && <Loading />}
        {list.isError && <LoadFailure error={list.error} retry={() => void list.refetch()} />}
        {list.data && snapshots.length === 0 && <Empty icon="camera" title={t.none} text={t.noneText} />}
        <ul className="rows">
          {snapshots.map((snapshot) => (
            <SnapshotRow key={snapshot.id} of={of} snapshot={snapshot} />
          ))}
        </ul>
        <MoreButton list={list} label={shell.more} />
      </Section>
    </>
  )
}

function SnapshotRow({ of, snapshot }: { of: Snapshots; snapshot: Snapshot }) {
  const { id, name, state, asOf, failureCode, digest, root } = snapshot
  const [isLookingUp, setLookingUp] = useState(false)
  const lookupId = useId()
  const failure = failureCode === null ? snapshot.failure : t.failures[failureCode]
  const remove = useMutation({ mutationFn: () => of.remove(id), onSuccess: () => toast(t.removed(name)) })
  return (
    <li className="row row-top">
      <div className="row-main">
        <Group gap="xs">
          <Text fw={500}>{name}</Text>
          <Badge variant="light" color={colours[state]} tt="none">
            {t.states[state]}
          </Badge>
          <Badge variant="default" tt="none">
            {snapshot.public ? t.isPublic : t.isPrivate}
          </Badge>
        </Group>
        {snapshot.note !== null && <Text size="sm">{snapshot.note}</Text>}
        <Text size="sm" c="dimmed">
          {[subjectOf(snapshot), t.asOf(atTime(asOf)), ...countsOf(snapshot)].join(' · ')}
        </Text>
        {state === 'sealed' && (
          <Group gap="xs" style={{ rowGap: 0 }}>
            <Text size="sm">{t.download}</Text>
            {FORMATS.map((format) => (
              <Anchor
                key={format}
                href={of.fileUrl(id, format)}
                download
                size="sm"
                aria-label={t.downloadNamed(name, t.formats[format])}
              >
                {t.formats[format]}
              </Anchor>
            ))}
          </Group>
        )}
        <Text size="sm" c="dimmed">
          {t.objects[snapshot.kind]} <span className="mono">{subjectIdOf(snapshot)}</span>
        </Text>
        <CopyValues
          values={[
            { name: 'ID', value: id },
            ...(digest === null ? [] : [{ name: t.digest, value: digest }]),
            ...(root === null ? [] : [{ name: t.root, value: root }]),
          ]}
        />
        {failure !== null && (
          <Text size="sm" className="bad">
            {failure}
          </Text>
        )}
        {state === 'sealed' && (
          <>
            <Button
              size="compact-xs"
              variant="default"
              mt={4}
              aria-label={t.lookUpNamed(name)}
              aria-expanded={isLookingUp}
              aria-controls={lookupId}
              onClick={() => setLookingUp(!isLookingUp)}
            >
              {t.lookUp}
            </Button>
            <div id={lookupId} className="row-part" hidden={!isLookingUp}>
              {isLookingUp && <MemberLookup of={of} id={id} />}
            </div>
          </>
        )}
        <Fault error={remove.error} />
      </div>
      <ConfirmButton
        label={t.remove}
        name={t.removeNamed(name)}
        question={t.removeQuestion}
        pending={remove.isPending}
        onConfirm={() => remove.mutate()}
      />
    </li>
  )
}

const subjectIdOf = ({ kind, spaceId, credentialId, questId }: Snapshot) =>
  ({ space: spaceId, credential: credentialId, quest: questId })[kind]

const subjectOf = ({ kind, sprintId }: Snapshot): string =>
  sprintId === null ? t.kinds[kind] : t.ofSprint(t.kinds[kind], sprintId)

function countsOf({ kind, state, members = 0, points = '0', leaves = 0, leftOut = 0, banned = 0 }: Snapshot): string[] {
  if (state !== 'sealed') return []
  return [
    t.members(members),
    ...(kind === 'space' ? [t.points(points)] : []),
    t.leaves(leaves),
    t.leftOut(leftOut),
    ...(banned > 0 ? [t.banned(banned)] : []),
  ]
}
