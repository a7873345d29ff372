import { invalidSprint, tooManyAddresses } from '../../errors.ts'
import type { Context } from '../../graphql/context.ts'
import { MAX_ADDRESSES } from '../../graphql/limits.ts'
import { requireSpace } from '../public-space.ts'
import { checkedSprint, OVERALL } from './loyalty-ranks.ts'
import { checkedMember, isHidden } from './member-address.ts'
import { type MemberRow, readMember, readMembers } from './member-rank.queries.ts'
import { boardValidator, findSpaceAndSprint } from './space.queries.ts'
import { percentileOf } from './space.rules.ts'

export interface MemberArguments {
  address: string
  sprintId?: number | null
}

export interface MembersArguments {
  addresses: readonly string[]
  sprintId?: number | null
}

export interface Member {
  id: string
  address: string
  points: number
  rank: number
  totalCount: number
  percentile: number
  version: string
}

/** The rank of a member at the newest version of the board; null if it is not on the board. */
export async function findMember(context: Context, spaceId: number, args: MemberArguments): Promise<Member | null> {
  const address = checkedMember('address', args.address)
  const [member = null] = await membersOf(context, spaceId, args.sprintId, [address])
  return member
}

/** The ranks of members at one version of the board, in the order of the addresses; null for those not on the board. */
export async function findMembers(
  context: Context,
  spaceId: number,
  { addresses, sprintId }: MembersArguments,
): Promise<(Member | null)[]> {
  if (addresses.length > MAX_ADDRESSES) throw tooManyAddresses('addresses', MAX_ADDRESSES, addresses.length)
  const checked = addresses.map((address, place) => checkedMember(`addresses[${place}]`, address))
  return membersOf(context, spaceId, sprintId, checked)
}

async function membersOf(
  context: Context,
  spaceId: number,
  sprint: number | null | undefined,
  addresses: readonly string[],
): Promise<(Member | null)[]> {
  requireSpace(context, spaceId)
  const sprintId = checkedSprint(sprint)
  const [only = '', ...others] = addresses
  const found =
    others.length > 0
      ? await readMembers(context.reader, spaceId, sprintId, addresses)
      : [await readMember(context.reader, { spaceId, sprintId, address: only })]
  const [first] = found
  // Without a validator, the response is not cached.
  if (first) context.cacheValidators.add(boardValidator(spaceId, first.version))
  else if (sprintId !== OVERALL && !(await findSpaceAndSprint(context.reader, spaceId, sprintId)).sprint)
    throw invalidSprint(sprintId)
  return addresses.map((address, place) =>
    isHidden(context, address) ? null : memberOf(spaceId, sprintId, address, found[place]),
  )
}

function memberOf(spaceId: number, sprintId: number, address: string, row: MemberRow | undefined): Member | null {
  if (!row || row.points === null || row.rank === null) return null
  const { points, rank, total, version } = row
  const id = `${spaceId}-${sprintId}-${address}`
  return {
    id,
    address,
    points,
    rank,
    totalCount: total,
    percentile: percentileOf(rank, total),
    version: String(version),
  }
}
