import './snapshots.css'
import { Table, Text } from '@mantine/core'
import type { ListedMember, SnapshotPreview } from '../api/snapshots.ts'
import { isAccountAddress } from '../shell/account-address.ts'
import { atTime } from '../shell/dates.ts'
import { number } from '../shell/numbers.ts'
import { content, explore, snapshots as t } from '../texts/index.ts'

interface FactsProps {
  preview: SnapshotPreview
  /** The time in the form; null: now. */
  chosen: string | null
}

/** The time and the counts of a list that is not sealed yet. */
export function PreviewFacts({ preview, chosen }: FactsProps) {
  const { kind, name, asOf, members, points, leaves, leftOut, banned, bytes } = preview
  const facts = [
    t.members(members),
    ...(kind === 'space' ? [t.points(points)] : []),
    t.leaves(leaves),
    t.leftOut(leftOut),
    ...(banned > 0 ? [t.banned(banned)] : []),
    t.size(number(Math.ceil(bytes / 1e6))),
  ]
  const isEarlier = chosen !== null && Date.parse(asOf) < Date.parse(chosen)
  return (
    <div className="inset" role="status">
      <Text fw={500}>{t.previewOf(name, atTime(asOf))}</Text>
      <Text size="sm">{facts.join(' · ')}</Text>
      <Text size="sm" c="dimmed">
        {isEarlier ? t.recordedTime : t.meaning[kind]}
      </Text>
    </div>
  )
}

/** The first members of the list, and the first outside of the Merkle tree if the list does not show all of them. */
export function PreviewMembers({ preview }: { preview: SnapshotPreview }) {
  const { kind, members, leftOut, firstMembers, firstLeftOut } = preview
  const isShown = leftOut === firstMembers.filter((member) => member.leftOut !== null).length
  return (
    <div className="snapshot-lists">
      <Members title={t.firstOf(firstMembers.length, members)} kind={kind} members={firstMembers} />
      {!isShown && <Members title={t.leftOutOf(firstLeftOut.length, leftOut)} kind={kind} members={firstLeftOut} />}
    </div>
  )
}

interface MembersProps {
  title: string
  kind: SnapshotPreview['kind']
  members: ListedMember[]
}

/** Holders and participants have no ranks: each has one point. */
function Members({ title, kind, members }: MembersProps) {
  const isBoard = kind === 'space'
  return (
    <Table captionSide="top" className="snapshot-members">
      <Table.Caption>{title}</Table.Caption>
      <Table.Thead>
        <Table.Tr>
          {isBoard && (
            <Table.Th w="1%" ta="right" className="nowrap">
              {explore.space.rank}
            </Table.Th>
          )}
          <Table.Th>{t.member}</Table.Th>
          {isBoard && (
            <Table.Th ta="right" className="nowrap">
              {explore.space.points}
            </Table.Th>
          )}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {members.map((member) => (
          <Table.Tr key={member.address}>
            {isBoard && (
              <Table.Td ta="right" className="nowrap">
                {number(member.rank)}
              </Table.Td>
            )}
            <Table.Td>
              <Member member={member} />
            </Table.Td>
            {isBoard && (
              <Table.Td ta="right" className="nowrap">
                {number(member.points)}
              </Table.Td>
            )}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}

function Member({ member: { name, address, leftOut } }: { member: ListedMember }) {
  return (
    <>
      <Text size="sm" fw={500}>
        {name}
      </Text>
      {/* The address of an account without a wallet is a random ID. */}
      {isAccountAddress(address) ? (
        <Text size="xs" c="dimmed">
          {content.participants.noWallet}
        </Text>
      ) : (
        name !== address && (
          <Text size="xs" c="dimmed" className="mono">
            {address}
          </Text>
        )
      )}
      {leftOut !== null && <Text size="xs">{t.reasons[leftOut]}</Text>}
    </>
  )
}
