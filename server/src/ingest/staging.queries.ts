import { type Kysely, type RawBuilder, sql } from 'kysely'
import { setLocally } from '../database/set-locally.ts'
import type { DB } from '../database/tables.ts'
import type { Staging } from '../distribution/staging.ts'
import { fault, unknownReference } from '../texts/faults.ts'
import { type Found, quoteValue } from './problems.ts'
import { type Fields, stagingColumns } from './check.ts'
import type { Kind, StagedRule, StagingShape } from './kind.ts'

/** The table of validated lines, empty at the end of the transaction. */
export const STAGED = sql.raw('staged')

/** The maximum number of problems that a query returns. */
const MAX_PROBLEMS = 100

export async function createStaging(
  trx: Kysely<DB>,
  staging: Staging,
  { fields, derived = {}, tables: [target] }: StagingShape,
): Promise<void> {
  const columns = Object.values(fields).map(({ column, type }) => `${column} ${type}`)
  const computed = Object.entries(derived).map(([column, definition]) => `${column} ${definition}`)
  // Merges sort and hash much data, so they get more memory. Few statistics suffice, because the planner needs only row counts
  // and distinct counts of staged rows.
  await setLocally(trx, { work_mem: '256MB', default_statistics_target: '10' })
  await staging.create({
    name: 'staged',
    columns: ['line integer', 'given integer', ...columns, ...computed].join(', '),
    like: target,
  })
}

/** The COPY target, with columns in the order of rowEncoder. */
export function stagingTarget(fields: Fields): string {
  return `staged (${stagingColumns(fields).join(', ')})`
}

/** Makes the commit wait for the disk, regardless of the server's default. */
export async function commitDurably(trx: Kysely<DB>): Promise<void> {
  await sql`
    SELECT set_config('synchronous_commit', 'on', true) WHERE current_setting('synchronous_commit') = 'off'
  `.execute(trx)
}

export async function countStaged(trx: Kysely<DB>): Promise<number> {
  const { rows } = await sql<{ count: number }>`SELECT count(*) AS count FROM ${STAGED}`.execute(trx)
  return rows[0]?.count ?? 0
}

/** An import of this many rows can make the statistics of a table obsolete. */
const MIN_ROWS_TO_ANALYZE = 20_000

/** Analyzes tables after a large import; autovacuum would do so a minute later. */
export async function analyzeAfter(
  kysely: Kysely<DB>,
  { tables }: { tables: readonly string[] },
  rows: number,
): Promise<void> {
  if (rows < MIN_ROWS_TO_ANALYZE) return
  for (const table of tables) await sql`ANALYZE ${sql.table(table)}`.execute(kysely)
}

/**
 * Requires that the object named by staged columns exists. `columns` maps columns of the table to staged columns.
 * Messages show the value of the last staged column. Lines without this value are not checked. A cluster must have each staged row and its object
 * on one node; otherwise use mustBeStored.
 */
export function mustExist(field: string, table: string, columns: Record<string, string>, what: string): StagedRule {
  const staged = Object.values(columns).at(-1) as string
  const same = Object.entries(columns).map(([target, column]) => `t.${target} = s.${column}`)
  return {
    field,
    code: 'NOT_FOUND',
    reason: (value) => `${quoteValue(value)} is not ${what}; import it first`,
    fault: unknownReference,
    lines: sql`
      SELECT line, ${sql.ref(`s.${staged}`)}::text AS value FROM ${STAGED} s
      WHERE ${sql.ref(`s.${staged}`)} IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM ${sql.raw(table)} t WHERE ${sql.raw(same.join(' AND '))})`,
  }
}

/** Like mustExist, for objects that are fewer than the lines. `known` returns the staged values that exist. */
export function mustBeStored(
  { field, column, type, what }: { field: string; column: string; type: 'text' | 'bigint'; what: string },
  known: (trx: Kysely<DB>, ids: readonly string[]) => Promise<readonly string[]>,
): StagedRule {
  return {
    field,
    code: 'NOT_FOUND',
    reason: (value) => `${quoteValue(value)} is not ${what}; import it first`,
    fault: unknownReference,
    async lines(trx) {
      const ids = await stagedValues(trx, column)
      const found = new Set(await known(trx, ids))
      const missing = ids.filter((id) => !found.has(id))
      return sql`
        SELECT line, ${sql.ref(column)}::text AS value FROM ${STAGED}
        WHERE ${sql.ref(column)} = ANY(${missing}::${sql.raw(type)}[])`
    },
  }
}

/** The distinct values of a staged column, as text and in order. */
export async function stagedValues(trx: Kysely<DB>, column: string): Promise<string[]> {
  const { rows } = await sql<{ value: string }>`
    SELECT DISTINCT ${sql.ref(column)}::text COLLATE "C" AS value FROM ${STAGED}
    WHERE ${sql.ref(column)} IS NOT NULL ORDER BY 1`.execute(trx)
  return rows.map(({ value }) => value)
}

/** Requires unique keys within an import. */
function mustBeUnique(field: string, key: readonly string[], reason: StagedRule['reason']): StagedRule {
  return {
    field,
    code: 'CONFLICT',
    reason,
    fault: (line) => fault('same_as_line', { line: Number(line) }),
    lines: sql`
      SELECT line, first::text AS value FROM (
        SELECT line, min(line) OVER (PARTITION BY ${sql.raw(key.join(', '))}) AS first FROM ${STAGED}
      ) AS keyed WHERE line > first`,
  }
}

/** @param reason the reason for a line, given the first line with the same key */
export async function findDuplicates(
  trx: Kysely<DB>,
  { field, columns: key }: NonNullable<Kind['key']>,
  reason: StagedRule['reason'],
  limit?: null,
): Promise<Found> {
  // Checking for one duplicate is far cheaper than listing all.
  const { rows } = await sql`
    SELECT 1 FROM ${STAGED} GROUP BY ${sql.raw(key.join(', '))} HAVING count(*) > 1 LIMIT 1`.execute(trx)
  return rows.length === 0 ? { problems: [], count: 0 } : findProblems(trx, mustBeUnique(field, key, reason), limit)
}

/** The first hundred lines (or all, if `limit` is null) that break a rule, and their number. */
export async function findProblems(
  trx: Kysely<DB>,
  { field, code, reason, fault: faultOf, part, lines }: StagedRule,
  limit: number | null = MAX_PROBLEMS,
): Promise<Found> {
  const query = typeof lines === 'function' ? await lines(trx) : lines
  const { rows } = await sql<{ line: number; value: string; count: number }>`
    SELECT line, value, count(*) OVER () AS count FROM (${query}) AS bad ORDER BY line LIMIT ${limit}
  `.execute(trx)
  const problems = rows.map(({ line, value }) => ({
    line,
    field,
    reason: reason(value),
    fault: faultOf(value),
    ...(code && { code }),
    ...(part && { parts: [part(value)] }),
  }))
  return { problems, count: rows[0]?.count ?? 0 }
}

export async function deleteStaged(trx: Kysely<DB>, lines: readonly number[]): Promise<void> {
  if (lines.length > 0) await sql`DELETE FROM ${STAGED} WHERE line = ANY(${lines}::int[])`.execute(trx)
}

export async function linesOfQuery(trx: Kysely<DB>, query: RawBuilder<unknown>): Promise<number[]> {
  const { rows } = await sql<{ line: number }>`SELECT line FROM (${query}) AS found`.execute(trx)
  return rows.map((row) => row.line)
}
