import { type Kysely, sql } from 'kysely'
import type { DB } from '../../database/tables.ts'
import { STAGED } from '../staging.queries.ts'
import type { AwardEvent } from '../../ranking/award-events.queries.ts'

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
