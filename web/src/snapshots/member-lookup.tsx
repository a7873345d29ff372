import './snapshots.css'
import { Button, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { ApiFailure } from '../api/call.ts'
import type { SnapshotMember, Snapshots } from '../api/snapshots.ts'
import { CopyValues } from '../shell/copy-values.tsx'
import { FormFault, useFaults } from '../shell/form-faults.tsx'
import { useMutation } from '../shell/use-mutation.ts'
import { snapshots as t } from '../texts/index.ts'

/** Looks up one member of a sealed snapshot. */
export function MemberLookup({ of, id }: { of: Snapshots; id: string }) {
  const [address, setAddress] = useState('')
  const text = address.trim()
  const find = useMutation({ mutationFn: () => of.findMember(id, text) })
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
        <div className="line-form">
          <TextInput
            label={t.lookedUp}
            description={t.lookedUpHelp}
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
        </div>
        <FormFault error={error} shown={['address']} />
        {find.data && <FoundMember member={find.data} />}
      </Stack>
    </form>
  )
}

function FoundMember({ member: { address, rank, points, jwt, eip712, proof } }: { member: SnapshotMember }) {
  const facts = [
    ...(rank === undefined || points === undefined ? [t.inList] : [t.rank(rank), t.points(String(points))]),
    proof === null ? t.reasons[points !== undefined && points < 0 ? 'negative_points' : 'no_evm_address'] : t.inTree,
  ]
  return (
    <div className="snapshot-member">
      <div role="status">
        <Text size="sm" className="mono">
          {address}
        </Text>
        <Text size="sm">{facts.join(' · ')}</Text>
      </div>
      <CopyValues
        values={[
          ...(proof === null ? [] : [{ name: t.proof, value: JSON.stringify(proof) }]),
          { name: t.jwt, value: jwt },
          ...(eip712 === null ? [] : [{ name: t.eip712, value: JSON.stringify(eip712) }]),
        ]}
      />
    </div>
  )
}
