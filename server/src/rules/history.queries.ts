import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { DB } from '../database/tables.ts'
import { ERASED } from '../ranking/ledger.ts'

const FETCH = 5_000

/** Reads all rows of a query without parameters, a few thousand at a time. */
async function* rowsOf<Row>(trx: Kysely<DB>, query: RawBuilder<Row>): AsyncGenerator<Row[]> {
  await sql`DECLARE history NO SCROLL CURSOR FOR ${query}`.execute(trx)
  for (;;) {
    const { rows } = await sql<Row>`FETCH ${sql.lit(FETCH)} FROM history`.execute(trx)
    if (rows.length > 0) yield rows
    if (rows.length < FETCH) break
  }
  await sql`CLOSE history`.execute(trx)
}

const isReversed = (id: RawBuilder<unknown>, spaceId: number) => sql`EXISTS (
  SELECT FROM ledger_entries r
  WHERE r.space_id = ${sql.lit(spaceId)} AND r.source = 'reversal' AND r.reverses = ${id})`
const idOf = sql`(e.version || '-' || e.position)`
const amount = sql`(e.points_after::bigint - coalesce(e.points_before, 0))`
const living = (address: RawBuilder<unknown>) => sql`NOT starts_with(${address}, ${sql.lit(ERASED)})`

export interface PastEvent {
  ref: string
  address: string
  points: number
  happenedAt: Date
  /** Of a claim. */
  questId: string | null
}

/** The awards of a space that were not reversed, as the rules count them. */
export function pastAwards(trx: Kysely<DB>, spaceId: number, since: Date): AsyncGenerator<PastEvent[]> {
  return rowsOf(
    trx,
    sql<PastEvent>`
      SELECT ${idOf} AS ref, e.address, ${amount} AS points, e.entered_at AS "happenedAt", NULL AS "questId"
      FROM ledger_entries e
      WHERE e.space_id = ${sql.lit(spaceId)} AND e.entered_at >= ${sql.lit(since.toISOString())}
        AND (e.source IN ('award', 'availability') OR (e.source = 'import' AND e.key IS NOT NULL))
        AND ${amount} > 0 AND ${living(sql`e.address`)} AND NOT ${isReversed(idOf, spaceId)}
        AND NOT (e.award IS NOT NULL AND ${isReversed(sql`e.award`, spaceId)})`,
  )
}

/** Gives ids to the claims from before claims had ids. */
export async function identifyClaims(trx: Kysely<DB>, spaceId: number): Promise<void> {
  await sql`
    UPDATE quest_claims c SET claim_id = gen_random_uuid() FROM quests q
    WHERE c.quest_id = q.quest_id AND q.space_id = ${spaceId} AND c.claim_id IS NULL`.execute(trx)
}

/** The claims of a space. In a transaction that only reads, older claims get ids that are valid for this call. */
export function pastClaims(trx: Kysely<DB>, spaceId: number, since: Date): AsyncGenerator<PastEvent[]> {
  return rowsOf(
    trx,
    sql<PastEvent>`
      SELECT coalesce(c.claim_id, gen_random_uuid())::text AS ref, c.address, c.points, c.claimed_at AS "happenedAt",
             c.quest_id AS "questId"
      FROM quests q JOIN quest_claims c ON c.quest_id = q.quest_id
      WHERE q.space_id = ${sql.lit(spaceId)} AND c.claimed_at >= ${sql.lit(since.toISOString())}`,
  )
}

/** An entry of points that a rule gave. */
export interface PastGift {
  id: string
  key: string
  address: string
  sprintId: number
  points: number
}

/** The points that rules gave and that were not reversed. */
export function pastGifts(trx: Kysely<DB>, spaceId: number, since: Date): AsyncGenerator<PastGift[]> {
  return rowsOf(
    trx,
    sql<PastGift>`
      SELECT ${idOf} AS id, e.key, e.address, e.sprint_id AS "sprintId", ${amount} AS points FROM ledger_entries e
      WHERE e.space_id = ${sql.lit(spaceId)} AND e.entered_at >= ${sql.lit(since.toISOString())} AND e.source = 'rule'
        AND ${living(sql`e.address`)} AND NOT ${isReversed(idOf, spaceId)}`,
  )
}

/** The members with a referrer, by address. */
export async function allReferrals(
  trx: Kysely<DB>,
  spaceId: number,
): Promise<Map<string, { referrer: string; recordedAt: Date; firstClaim: string | null }>> {
  const { rows } = await sql<{ address: string; referrer: string; recordedAt: Date; firstClaim: string | null }>`
    SELECT address, referrer, recorded_at AS "recordedAt", first_claim AS "firstClaim" FROM referrals
    WHERE space_id = ${spaceId}`.execute(trx)
  return new Map(rows.map(({ address, ...referral }) => [address, referral]))
}

/** The events that the rules have not counted yet. */
export async function pendingRefs(trx: Kysely<DB>, spaceId: number): Promise<Set<string>> {
  const { rows } = await sql<{ ref: string }>`
    SELECT ref FROM rule_events WHERE space_id = ${spaceId}`.execute(trx)
  return new Set(rows.map(({ ref }) => ref))
}

export async function knownSprintIds(trx: Kysely<DB>, spaceId: number): Promise<Set<number>> {
  const { rows } = await sql<{ sprintId: number }>`
    SELECT sprint_id AS "sprintId" FROM sprints WHERE space_id = ${spaceId}`.execute(trx)
  return new Set(rows.map(({ sprintId }) => sprintId))
}
