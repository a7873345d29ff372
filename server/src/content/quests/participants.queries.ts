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
  /** Participants with one of these addresses or with this beginning; default: all. */
  among?: { addresses: readonly string[]; beginning: string } | undefined
}

/** The participants of a quest in the order of their addresses. */
export async function selectParticipants(
  kysely: Kysely<DB>,
  questId: string,
  { after, limit, among }: WantedParticipants,
): Promise<ParticipantRow[]> {
  const which = among
    ? sql`(p.address = ANY(${among.addresses}::text[])
        OR (p.address >= ${among.beginning} AND p.address < ${endOf(among.beginning)}))`
    : sql`true`
  const { rows } = await sql<ParticipantRow>`
    SELECT p.address, p.joined_at, c.points, ${sql.raw(shortId('p.address'))} AS short_id
    FROM quest_participants p
    LEFT JOIN quest_claims c ON c.quest_id = p.quest_id AND c.quest_id = ${questId} AND c.address = p.address
    WHERE p.quest_id = ${questId} AND p.address > ${after} AND ${which}
    ORDER BY p.address LIMIT ${limit}`.execute(kysely)
  return rows
}
