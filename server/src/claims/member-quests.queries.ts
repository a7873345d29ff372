import { type Kysely, sql } from 'kysely'
import { type Reader, statement, textArray } from '@questboard/pg-read-pipeline'
import type { DB } from '../database/tables.ts'
import type { LockedQuest } from './claims.queries.ts'

const questToDecide = statement<LockedQuest>(
  'claims.quest',
  `SELECT quest_id, space_id, name, status, auto_status, start_time, end_time, cap, participants_count, loyalty_points
   FROM quests WHERE quest_id = $1`,
)

/** The same columns as `lockQuest`, without a lock. */
export async function readQuest(reader: Reader, questId: string): Promise<LockedQuest | undefined> {
  return (await reader.read(questToDecide, [questId]))[0]
}

/** The participation of an account in a quest. Imported participants have no points. */
export interface Participation {
  address: string
  points: number | null
  sprint_id: number | null
  claimed_at: Date
}

const participation = statement<Participation>(
  'claims.participation',
  `SELECT address, points, sprint_id, claimed_at FROM quest_claims WHERE quest_id = $1 AND account_id = $3
   UNION ALL
   SELECT address, points, sprint_id, claimed_at FROM quest_claims WHERE quest_id = $1 AND address = ANY($2::text[])
   UNION ALL
   SELECT address, NULL, NULL, joined_at FROM quest_participants WHERE quest_id = $1 AND address = ANY($2::text[])
   ORDER BY points NULLS LAST, address LIMIT 1`,
)

/** The participation of an account, by any of its addresses. */
export async function findParticipation(
  reader: Reader,
  questId: string,
  { accountId, names }: { accountId: string; names: readonly string[] },
): Promise<Participation | undefined> {
  return (await reader.read(participation, [questId, textArray(names), accountId]))[0]
}

export interface ConditionCredential {
  id: string
  name: string
  link: string
  /** The kind of its source; null if it has none. */
  source: string | null
}

const credentials = statement<ConditionCredential>(
  'claims.credentials',
  `SELECT c.credential_id::text AS id, c.name, c.reference_link AS link, s.source ->> 'kind' AS source
   FROM credentials c LEFT JOIN credential_sources s ON s.credential_id = c.credential_id
   WHERE c.credential_id = ANY($1::bigint[])`,
)

/** The names, links and sources of the credentials of conditions. */
export async function readConditionCredentials(
  reader: Reader,
  ids: readonly string[],
): Promise<Map<string, ConditionCredential>> {
  if (ids.length === 0) return new Map()
  return new Map((await reader.read(credentials, [textArray(ids)])).map((row) => [row.id, row]))
}

export interface CompletedQuest extends Participation {
  quest_id: string
  points: number
  sprint_id: number
}

/** The claims of an account, newest first. */
export async function listClaimsOf(
  kysely: Kysely<DB>,
  accountId: string,
  after: { claimedAt: number; questId: string } | undefined,
  limit: number,
): Promise<CompletedQuest[]> {
  const behind = after
    ? sql`(claimed_at < ${new Date(after.claimedAt)} OR (claimed_at = ${new Date(after.claimedAt)} AND quest_id > ${after.questId}))`
    : sql`true`
  const { rows } = await sql<CompletedQuest>`
    SELECT quest_id, address, points, sprint_id, claimed_at FROM quest_claims
    WHERE account_id = ${accountId} AND ${behind} ORDER BY claimed_at DESC, quest_id LIMIT ${limit}`.execute(kysely)
  return rows
}
