import './snapshots.css'
import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { ApiFailure } from '../api/call.ts'
import { findSnapshotMember, type Snapshot, type SnapshotMember } from '../api/snapshots.ts'
import { CopyValues } from '../shell/copy-values.tsx'
import { FormFault, useFaults } from '../shell/form-faults.tsx'
import { useMutation } from '../shell/use-mutation.ts'
import { snapshots as t } from '../texts/index.ts'

/** Looks up one member of a sealed public snapshot. */
export function MemberLookup({ snapshot: { id, name } }: { snapshot: Snapshot }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <Stack gap="xs" mt={4}>
      <div>
        <Button
          size="compact-xs"
          variant="default"
          aria-label={t.lookUpNamed(name)}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          {t.lookUp}
        </Button>
      </div>
      {isOpen && <LookupForm id={id} />}
    </Stack>
  )
}

function LookupForm({ id }: { id: string }) {
  const [address, setAddress] = useState('')
  const text = address.trim()
  const find = useMutation({ mutationFn: () => findSnapshotMember(id, text) })
  const faultAt = useFaults({ pending: find.isPending, error: find.error }, { address: text })
  const { error } = find
  const isAbsent = error instanceof ApiFailure && error.status === 404 && error.field === 'address'
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (text !== '') find.mutate()
  }
  return (
    <form onSubmit={submit} className="inset">
      <Stack gap="sm">
        <Group align="flex-end" gap="sm">
          <TextInput
            label={t.lookedUp}
            value={address}
            error={isAbsent ? t.notInSnapshot : faultAt('address')}
            onChange={(event) => {
              setAddress(event.currentTarget.value)
              find.reset()
            }}
            maxLength={320}
            autoComplete="off"
            spellCheck={false}
            className="wide-field"
          />
          <Button type="submit" variant="default" loading={find.isPending} disabled={text === ''}>
            {t.find}
          </Button>
        </Group>
        <FormFault error={error} shown={['address']} />
        {find.data && <FoundMember member={find.data} />}
      </Stack>
    </form>
  )
}

function FoundMember({ member: { address, rank, points, jwt, proof } }: { member: SnapshotMember }) {
  const facts = [
    ...(rank === undefined || points === undefined ? [t.inList] : [t.rank(rank), t.points(String(points))]),
    proof === null ? t.notInTree : t.inTree,
  ]
  return (
    <div role="status" className="snapshot-member">
      <Text size="sm" className="mono">
        {address}
      </Text>
      <Text size="sm">{facts.join(' · ')}</Text>
      <CopyValues
        values={[
          ...(proof === null ? [] : [{ name: t.proof, value: JSON.stringify(proof) }]),
          { name: t.jwt, value: jwt },
        ]}
      />
    </div>
  )
}
