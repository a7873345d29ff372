import { Table, UnstyledButton, VisuallyHidden } from '@mantine/core'
import type { LoyaltyPointsRank } from '@questboard/client'
import { useId, useState } from 'react'
import { BanLink } from '../operator/ban-link.tsx'
import { Avatar, avatarOf } from '../shell/avatar.tsx'
import { shortAddress } from '../shell/addresses.ts'
import { number } from '../shell/numbers.ts'
import { explore as texts } from '../texts/index.ts'
import { RankHistory } from './rank-history.tsx'

interface BoardRowProps {
  rank: LoyaltyPointsRank
  spaceId: string
  sprintId: number | undefined
}

/** A member's place; opened, how it got there. */
export function BoardRow({ rank: { rank, points, address: member }, spaceId, sprintId }: BoardRowProps) {
  const [open, setOpen] = useState(false)
  const id = useId()
  const address = member?.address ?? ''
  const name = member?.username ?? ''
  return (
    <>
      <Table.Tr>
        <Table.Td ta="right" className="nowrap">
          {number(rank)}
        </Table.Td>
        <Table.Td>
          <UnstyledButton className="member" aria-expanded={open} aria-controls={id} onClick={() => setOpen(!open)}>
            <Avatar seed={name || address} src={avatarOf(address, member?.avatar ?? '')} />
            <span className="member-name">{name}</span>
            <span className="mono member-address">{shortAddress(address)}</span>
            <VisuallyHidden>{texts.space.history}</VisuallyHidden>
          </UnstyledButton>
        </Table.Td>
        <Table.Td ta="right" className="nowrap">
          {number(points)}
        </Table.Td>
      </Table.Tr>
      <Table.Tr id={id} hidden={!open}>
        <Table.Td colSpan={3}>
          {open && (
            <>
              <RankHistory member={{ name, address }} now={{ rank, points }} spaceId={spaceId} sprintId={sprintId} />
              <BanLink spaceId={spaceId} address={address} />
            </>
          )}
        </Table.Td>
      </Table.Tr>
    </>
  )
}
