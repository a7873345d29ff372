import { type Kysely, sql } from 'kysely'
import type { DB } from '../../database/tables.ts'
import { shortId } from '../../ranking/boards.queries.ts'
import { endOf } from '../../search/words.ts'

export interface ParticipantRow {
  address: string
  joined_at: Date
  /** Null for an imported participant. */
  points: number | null
  /** The name on boards if the profile has none. */
  short_id: string
}

interface WantedParticipants {
  /** The address before the page. */
  after: string
  limit: number
  /** Participants with one of these addresses or beginnings; default: all. */
  among?: { addresses: readonly string[]; beginnings: readonly string[] } | undefined
}

/** The participants of a quest in the order of their addresses. */
export async function selectParticipants(
  kysely: Kysely<DB>,
  questId: string,
  wanted: WantedParticipants,
): Promise<ParticipantRow[]> {
  const { rows } = await participantsQuery(questId, wanted).execute(kysely)
  const addresses = rows.map(({ address }) => address)
  const claims = await claimsQuery(questId, addresses).execute(kysely)
  const points = new Map(claims.rows.map((claim) => [claim.address, claim.points]))
  return rows.map((row) => ({ ...row, points: points.get(row.address) ?? null }))
}

/** A query for each condition uses the primary key; with OR, the database reads the whole quest. Exported for its test. */
export function participantsQuery(questId: string, { after, limit, among }: WantedParticipants) {
  const which = among
    ? [
        sql`address = ANY(${among.addresses}::text[])`,
        ...among.beginnings.map((text) => sql`address >= ${text} AND address < ${endOf(text)}`),
      ]
    : [sql`true`]
  const parts = which.map(
    (condition) => sql`
      (SELECT address, joined_at FROM quest_participants
       WHERE quest_id = ${questId} AND address > ${after} AND ${condition} ORDER BY address LIMIT ${limit})`,
  )
  return sql<Omit<ParticipantRow, 'points'>>`
    SELECT address, joined_at, ${sql.raw(shortId('address'))} AS short_id
    FROM (${sql.join(parts, sql` UNION `)}) AS found ORDER BY address LIMIT ${limit}`
}

/** Reads the claims of a page only: a join reads all claims of the quest. Exported for its test. */
export const claimsQuery = (questId: string, addresses: readonly string[]) => sql<{ address: string; points: number }>`
  SELECT address, points FROM quest_claims WHERE quest_id = ${questId} AND address = ANY(${addresses}::text[])`

/** The number of participants among whom a short ID is looked up. No index has short IDs. */
const MAX_SCANNED = 100_000

/** The participants with this short ID. `complete` is false if the quest has more participants than `limit`. */
export async function findParticipantsByShortId(
  kysely: Kysely<DB>,
  questId: string,
  id: string,
  limit = MAX_SCANNED,
): Promise<{ addresses: string[]; complete: boolean }> {
  const { rows } = await sql<{ addresses: string[]; scanned: number }>`
    SELECT coalesce(array_agg(address) FILTER (WHERE ${sql.raw(shortId('address'))} = ${id}), '{}') AS addresses,
           count(*)::int AS scanned
    FROM (SELECT address FROM quest_participants WHERE quest_id = ${questId}
          ORDER BY address LIMIT ${limit + 1}) AS first_participants`.execute(kysely)
  const { addresses = [], scanned = 0 } = rows[0] ?? {}
  return { addresses, complete: scanned <= limit }
}
