import { type Kysely, sql } from 'kysely'
import type { DB } from '../../database/tables.ts'
import { STAGED } from '../staging.queries.ts'
import type { SpaceAward } from './awards.ts'

export interface StagedAward extends SpaceAward {
  line: number
}

/** The next staged awards by space; within a space in the order of the file. */
export async function stagedAwards(
  trx: Kysely<DB>,
  after: { spaceId: number; line: number },
  limit: number,
): Promise<StagedAward[]> {
  const { rows } = await sql<StagedAward>`
    SELECT line, key, space_id AS "spaceId", sprint_id AS "sprintId", address, points FROM ${STAGED}
    WHERE (space_id, line) > (${after.spaceId}::int, ${after.line}::int)
    ORDER BY space_id, line LIMIT ${limit}`.execute(trx)
  return rows
}
