import type { Kysely } from 'kysely'
import type { DB } from '../database/tables.ts'
import { namesOf } from '../ranking/boards.queries.ts'
import { ranksOfPoints, selectMembers, type Source, type SourceMember } from './sources.queries.ts'

/** The number of members in each part of a preview. */
export const PREVIEWED = 20

/** The reason why a member is outside of the Merkle tree. */
export const leftOutReasons = ['no_evm_address', 'negative_points'] as const

export interface ListedMember {
  rank: number
  address: string
  /** The name on leaderboards. */
  name: string
  points: number
  /** Null for a member in the Merkle tree. */
  leftOut: (typeof leftOutReasons)[number] | null
}

/** The first members of a list, and the first of its members outside of the Merkle tree. */
export async function firstMembers(
  kysely: Kysely<DB>,
  source: Source,
  leftOutCount: number,
): Promise<{ firstMembers: ListedMember[]; firstLeftOut: ListedMember[] }> {
  const first = ranked(await selectMembers(kysely, source, { limit: PREVIEWED }))
  const among = first.filter(({ isLeaf }) => !isLeaf)
  const isWhole = among.length >= Math.min(PREVIEWED, leftOutCount)
  const leftOut = isWhole ? among : await readLeftOut(kysely, source)
  const addresses = [...first, ...leftOut].map(({ address }) => address)
  const names = await namesOf(kysely, addresses)
  const listed = ({ rank, address, points, isLeaf, shortId }: RankedMember): ListedMember => ({
    rank,
    address,
    name: names.get(address)?.username || shortId,
    points,
    leftOut: isLeaf ? null : isEvm(address) ? 'negative_points' : 'no_evm_address',
  })
  return { firstMembers: first.map(listed), firstLeftOut: leftOut.map(listed) }
}

type RankedMember = SourceMember & { rank: number }

/** Ranks members from the start of a list. */
const ranked = (members: readonly SourceMember[]): RankedMember[] =>
  members.map((member) => ({ ...member, rank: 1 + members.findIndex(({ points }) => points === member.points) }))

async function readLeftOut(kysely: Kysely<DB>, source: Source): Promise<RankedMember[]> {
  const members = await selectMembers(kysely, source, { limit: PREVIEWED, leftOut: true })
  const points = members.map((member) => member.points)
  const ranks = await ranksOfPoints(kysely, source, points)
  return members.map((member) => ({ ...member, rank: ranks.get(member.points) ?? 1 }))
}

const isEvm = (address: string): boolean => /^0x[0-9a-f]{40}$/.test(address)
