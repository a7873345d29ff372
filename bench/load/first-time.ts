import { createCursors } from '../../server/src/cursor.ts'
import { installationValue } from '../../server/src/database/installation.queries.ts'
import { LOYALTY_CURSOR } from '../../server/src/features/space/loyalty-ranks.ts'
import type { BenchDatabase } from '../data/bench-database.ts'
import { CREDENTIAL } from '../data/holders.ts'

/** Requests that nobody has asked before, for the service and, with the same contents, for a handler written by hand. */
export interface FirstTime {
  service: string[]
  byHand: string[]
}

const PAGE = `query ($id: Int!, $cursor: String) {
  spaceLoyaltyPointsRanks(spaceId: $id, cursorAfter: $cursor) {
    totalCount pageInfo { hasNextPage endCursor } list { rank points address { username address avatar } }
  }
}`

const ELIGIBLE = `query ($id: ID!, $address: String!) { credential(id: $id) { eligible(address: $address) } }`

export interface PlaceOnBoard {
  points: number
  address: string
  position: number
  rank: number
}

export async function cursorKey({ kysely }: BenchDatabase): Promise<string> {
  return installationValue(kysely, 'cursor-key', () => {
    throw new Error('no service was started on this database yet')
  })
}

/** Places all over a board, as many as asked for. */
export async function placesOnBoard({ pool }: BenchDatabase, spaceId: number, count: number): Promise<PlaceOnBoard[]> {
  const { rows } = await pool.query<PlaceOnBoard>(
    `SELECT points, address, position, rank FROM (
       SELECT points, address, row_number() OVER (ORDER BY descent, address) AS position,
              rank() OVER (ORDER BY descent) AS rank, count(*) OVER () AS members
       FROM board_entries WHERE space_id = $1 AND sprint_id = 0
     ) AS places WHERE position % greatest(1, members / $2) = 0 LIMIT $2`,
    [spaceId, count],
  )
  return rows
}

/** A page behind each of the places; of another moment for every round, so that every cursor is new. */
export async function pageRequests(
  database: BenchDatabase,
  board: { spaceId: number; members: number },
  places: readonly PlaceOnBoard[],
  round: number,
): Promise<FirstTime> {
  const cursors = createCursors(Buffer.from(await cursorKey(database), 'hex'))
  const { spaceId, members } = board
  const startedAt = Math.floor(Date.now() / 1000) - 60 - round
  return {
    service: places.map(({ points, position, rank, address }) => {
      const fields = [spaceId, 0, 1, members, startedAt, points, position, rank, address]
      return JSON.stringify({ query: PAGE, variables: { id: spaceId, cursor: cursors.seal(LOYALTY_CURSOR, fields) } })
    }),
    byHand: places.map((place) => JSON.stringify({ page: { spaceId, version: 1, totalCount: members, ...place } })),
  }
}

export function eligibleRequests(addresses: readonly string[]): FirstTime {
  return {
    service: addresses.map((address) => JSON.stringify({ query: ELIGIBLE, variables: { id: CREDENTIAL, address } })),
    byHand: addresses.map((address) => JSON.stringify({ eligible: { credentialId: CREDENTIAL, address } })),
  }
}
