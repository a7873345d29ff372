import { createCursors } from '../../server/src/graphql/signed-cursors.ts'
import { installationValue } from '../../server/src/database/installation.queries.ts'
import type { BenchDatabase } from '../data/bench-database.ts'
import { CREDENTIAL } from '../data/holders.ts'
import { PAGE as PAGE_SIZE, type Place, writeCursor } from '../references/loyalty-page.ts'

/** Requests that were not sent before, with the same contents for each kind of server that is measured. */
export interface FirstTime {
  service: string[]
  byHand: string[]
  /** The service's documents, for a schema of the same form with cursors that are not sealed. */
  resolvers: string[]
  postgraphile: string[]
}

const PAGE = `query ($id: Int!, $cursor: String) {
  spaceLoyaltyPointsRanks(spaceId: $id, cursorAfter: $cursor) {
    totalCount pageInfo { hasNextPage endCursor } list { rank points address { username address avatar } }
  }
}`

const ELIGIBLE = `query ($id: ID!, $address: String!) { credential(id: $id) { eligible(address: $address) } }`

const POSTGRAPHILE_PAGE = `query ($id: Int!, $cursor: Cursor) {
  board: boardBySpaceIdAndSprintId(spaceId: $id, sprintId: 0) { memberCount }
  page: allBoardEntries(condition: { spaceId: $id, sprintId: 0 }, orderBy: [DESCENT_ASC, ADDRESS_ASC], first: ${PAGE_SIZE}, after: $cursor) {
    pageInfo { hasNextPage endCursor } nodes { points address username avatar }
  }
}`

const RANK = `query ($id: ID!, $handle: String!) {
  starboard(id: $id) {
    leaderboard(twitterId: $handle, pagination: { forward: { first: 1 } }) {
      edges { node { rank { value } influenceScore { value } xUserProfile { username name profileImageUrl followersCount } } }
    }
  }
}`

/** The query names the current generation of the list. */
const POSTGRAPHILE_HOLDER = `query ($id: BigInt!, $address: String!) {
  holder: credentialHolderByCredentialIdAndGenerationAndAddress(credentialId: $id, generation: 1, address: $address) { address }
}`

/** What PostGraphile begins its cursors with for this order; one of another order is refused. */
const POSTGRAPHILE_ORDER = '243ada8a1c'

export async function cursorKey({ kysely }: BenchDatabase): Promise<string> {
  return installationValue(kysely, 'cursor-key', () => {
    throw new Error('no service was started on this database yet')
  })
}

/** Places all over a board, as many as asked for. */
export async function placesOnBoard({ pool }: BenchDatabase, spaceId: number, count: number): Promise<Place[]> {
  const { rows } = await pool.query<Place>(
    `SELECT points, address, position, rank FROM (
       SELECT points, address, row_number() OVER (ORDER BY descent, address) AS position,
              rank() OVER (ORDER BY descent) AS rank, count(*) OVER () AS members
       FROM board_entries WHERE space_id = $1 AND sprint_id = 0
     ) AS places WHERE position % greatest(1, members / $2) = 0 LIMIT $2`,
    [spaceId, count],
  )
  return rows
}

/** Consecutive places, the first directly after `members` of the board; the first page has none. */
export async function placesBehind(
  { pool }: BenchDatabase,
  spaceId: number,
  members: number,
  count: number,
): Promise<Place[]> {
  const { rows } = await pool.query<Place>(
    `WITH found AS MATERIALIZED (
       SELECT points, descent, address, $2::int + row_number() OVER (ORDER BY descent, address) AS position
       FROM (SELECT points, descent, address FROM board_entries WHERE space_id = $1 AND sprint_id = 0
             ORDER BY descent, address OFFSET $2 LIMIT $3) AS slice)
     SELECT points, address, position::float8,
            greatest(min(position) OVER (PARTITION BY descent), 1)::float8 - CASE
              WHEN descent = (SELECT min(descent) FROM found) THEN
                (SELECT count(*) FROM board_entries WHERE space_id = $1 AND sprint_id = 0
                   AND descent = (SELECT min(descent) FROM found)
                   AND address < (SELECT address FROM found ORDER BY position LIMIT 1))
              ELSE 0 END AS rank
     FROM found ORDER BY position`,
    [spaceId, members, count],
  )
  return rows
}

/** The seconds that cursors of this run say they began in. */
const taken = new Set<number>()

/** A page behind each of the places; of a second that no other call has, so that every cursor is new. */
export async function pageRequests(
  database: BenchDatabase,
  board: { spaceId: number; members: number },
  places: readonly Place[],
): Promise<FirstTime> {
  const cursors = createCursors(Buffer.from(await cursorKey(database), 'hex'))
  const { spaceId, members } = board
  let startedAt = Math.floor(Date.now() / 1000) - 60
  while (taken.has(startedAt)) startedAt--
  taken.add(startedAt)
  return {
    service: places.map(({ points, position, rank, address }) => {
      const fields = [spaceId, 0, 1, members, startedAt, points, position, rank, address]
      return JSON.stringify({ query: PAGE, variables: { id: spaceId, cursor: cursors.sign('loyalty', fields) } })
    }),
    byHand: places.map((place) => JSON.stringify({ page: { spaceId, version: 1, totalCount: members, ...place } })),
    resolvers: places.map((place) => {
      const cursor = writeCursor({ spaceId, version: 1, totalCount: members, ...place })
      return JSON.stringify({ query: PAGE, variables: { id: spaceId, cursor } })
    }),
    postgraphile: places.map(({ points, address }) => {
      // The order it asks for, and the primary key behind it.
      const fields = [POSTGRAPHILE_ORDER, ~points, address, spaceId, 0, address]
      const cursor = Buffer.from(JSON.stringify(fields)).toString('base64')
      return JSON.stringify({ query: POSTGRAPHILE_PAGE, variables: { id: spaceId, cursor } })
    }),
  }
}

export function eligibleRequests(addresses: readonly string[]): FirstTime {
  const graphql = (query: string) =>
    addresses.map((address) => JSON.stringify({ query, variables: { id: CREDENTIAL, address } }))
  return {
    service: graphql(ELIGIBLE),
    byHand: addresses.map((address) => JSON.stringify({ eligible: { credentialId: CREDENTIAL, address } })),
    resolvers: graphql(ELIGIBLE),
    postgraphile: graphql(POSTGRAPHILE_HOLDER),
  }
}

/** The ranks of users on a starboard, for the service and for a handler written by hand. */
export function rankRequests(starboard: string, handles: readonly string[]): FirstTime {
  return {
    service: handles.map((handle) => JSON.stringify({ query: RANK, variables: { id: starboard, handle } })),
    byHand: handles.map((handle) => JSON.stringify({ rank: { handle } })),
    resolvers: [],
    postgraphile: [],
  }
}
