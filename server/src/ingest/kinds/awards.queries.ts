import { type Kysely, sql } from 'kysely'
import { textArray } from '@questboard/pg-read-pipeline'
import type { DB } from '../../database/tables.ts'
import { STAGED } from '../staging.queries.ts'
import type { AwardEvent } from '../../ranking/awards.queries.ts'

export interface SpaceAward extends AwardEvent {
  spaceId: number
}

type Nullable<T, Fields extends keyof T> = Omit<T, Fields> & { [F in Fields]: Exclude<T[F], undefined> | null }

export interface StagedAward extends SpaceAward {
  line: number
}

/** The next staged awards by space; within a space in the order of the file. */
export async function stagedAwards(
  trx: Kysely<DB>,
  after: { spaceId: number; line: number },
  limit: number,
): Promise<StagedAward[]> {
  const { rows } = await sql<Nullable<StagedAward, 'reason' | 'availableAt' | 'expiresAt'>>`
    SELECT line, key, space_id AS "spaceId", sprint_id AS "sprintId", address, points, reason,
           available_at AS "availableAt", expires_at AS "expiresAt" FROM ${STAGED}
    WHERE (space_id, line) > (${after.spaceId}::int, ${after.line}::int)
    ORDER BY space_id, line LIMIT ${limit}`.execute(trx)
  return rows.map((row) => ({
    ...row,
    source: 'import',
    reason: row.reason ?? undefined,
    availableAt: row.availableAt ?? undefined,
    expiresAt: row.expiresAt ?? undefined,
  }))
}

/** Those of the keys whose awards, entered since `since`, were reversed. */
export async function findReversedKeys(
  trx: Kysely<DB>,
  spaceId: number,
  keys: readonly string[],
  since: Date,
): Promise<Set<string>> {
  const { rows } = await sql<{ key: string }>`
    SELECT e.key FROM ledger_entries e
    WHERE e.space_id = ${spaceId} AND e.key = ANY(${textArray(keys)}::text[]) AND e.entered_at >= ${since} AND EXISTS (
      SELECT FROM ledger_entries r
      WHERE r.space_id = ${spaceId} AND r.reverses = e.version || '-' || e.position AND r.source = 'reversal')`.execute(
    trx,
  )
  return new Set(rows.map(({ key }) => key))
}
