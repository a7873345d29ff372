import { type Kysely, sql } from 'kysely'
import { withProgress } from '../database/statement-progress.ts'
import type { DB } from '../database/tables.ts'
import type { Table } from '../distribution/placements.ts'
import type { Staging } from '../distribution/staging.ts'
import type { Fault } from '../texts/faults.ts'
import type { Fields } from './check.ts'
import type { Counts, StagedRule } from './kind.ts'
import { STAGED } from './staging.queries.ts'

/** Objects that are stored as one row of one table. */
export interface UpsertTarget {
  table: Table
  /** Columns of the primary key, the distribution column first; equal in the staging table. */
  key: readonly string[]
  /** All fields of a line; those outside the key are written. */
  fields: Fields
  /** Columns of fields that this table does not have. */
  notStored?: readonly string[]
  /**
   * The time of the last change: set to the time of the import if one of these columns changes, unless the line sets
   * it.
   */
  touched?: { column: string; by: readonly string[] }
  /** Column values for new rows only. */
  stamps?: Record<string, Date>
}

/** Lines merged with stored rows: a field that a line lacks keeps its value in an existing object. */
function merged(target: UpsertTarget) {
  const given = Object.values(target.fields).map((field, bit) => [field.column, `s.given & ${1 << bit} <> 0`] as const)
  const columns = given.map(([column, isGiven]) => {
    if (target.key.includes(column) || target.notStored?.includes(column)) return `s.${column}`
    const reasons = [`t.${target.key[0]} IS NULL`, isGiven]
    if (column === target.touched?.column) reasons.push(...given.flatMap((one) => buildTouchConditions(target, one)))
    return `CASE WHEN ${reasons.join(' OR ')} THEN s.${column} ELSE t.${column} END AS ${column}`
  })
  const extra = target.key.filter((key) => !Object.values(target.fields).some((field) => field.column === key))
  const list = ['s.line', `t.${target.key[0]} IS NOT NULL AS known`, ...columns, ...extra.map((key) => `s.${key}`)]
  const same = target.key.map((key) => `t.${key} = s.${key}`).join(' AND ')
  return sql`(SELECT ${sql.raw(list.join(', '))} FROM ${STAGED} s LEFT JOIN ${sql.table(target.table)} t ON ${sql.raw(same)})`
}

function buildTouchConditions({ touched }: UpsertTarget, [column, isGiven]: readonly [string, string]): string[] {
  return touched?.by.includes(column) ? [`(${isGiven} AND s.${column} IS DISTINCT FROM t.${column})`] : []
}

/** A rule for merged lines; `wrong` is a SQL condition over their columns. */
export function mergedRule(
  target: UpsertTarget,
  field: string,
  wrong: string,
  reason: string,
  fault: Fault,
): StagedRule {
  return {
    field,
    reason: () => reason,
    fault: () => fault,
    lines: sql`SELECT line, '' AS value FROM ${merged(target)} AS m WHERE ${sql.raw(wrong)}`,
  }
}

const list = (prefix: string, names: readonly string[]) => sql.raw(names.map((name) => prefix + name).join(', '))
const join = (left: string, right: string, key: readonly string[]) =>
  sql.raw(key.map((column) => `${left}.${column} = ${right}.${column}`).join(' AND '))

function storedColumns({ key, fields, notStored = [] }: UpsertTarget): string[] {
  return Object.values(fields)
    .map((field) => field.column)
    .filter((column) => !key.includes(column) && !notStored.includes(column))
}

/** The keys (one text column) of existing objects that the staged lines change. */
export async function changedKeys(trx: Kysely<DB>, target: UpsertTarget): Promise<string[]> {
  const columns = storedColumns(target)
  const { rows } = await sql<{ key: string }>`
    SELECT ${list('t.', target.key)} AS key FROM ${sql.table(target.table)} t
    JOIN ${merged(target)} AS m ON ${join('t', 'm', target.key)}
    WHERE (${list('t.', columns)}) IS DISTINCT FROM (${list('m.', columns)})`.execute(trx)
  return rows.map((row) => row.key)
}

/** Stores the staged lines. Unchanged rows are not written. */
export async function upsertStaged(trx: Kysely<DB>, staging: Staging, target: UpsertTarget): Promise<Counts> {
  const { key, stamps = {} } = target
  const table = sql.table(target.table)
  const columns = storedColumns(target)
  await staging.lock({ table: target.table, key, keys: STAGED })
  const changed = await sql`
    UPDATE ${table} t SET ${sql.raw(columns.map((column) => `${column} = m.${column}`).join(', '))}
    FROM ${merged(target)} AS m
    WHERE ${join('t', 'm', key)} AND (${list('t.', columns)}) IS DISTINCT FROM (${list('m.', columns)})`.execute(trx)
  const values = Object.values(stamps).map((value) => sql`, ${value}::timestamptz`)
  const added = await sql`
    INSERT INTO ${table} (${list('', [...key, ...columns, ...Object.keys(stamps)])})
    SELECT ${list('', [...key, ...columns.slice(0, -1)])}, ${withProgress(columns.at(-1) as string)}${sql.join(values, sql``)}
    FROM (
      SELECT ${list('s.', [...key, ...columns, 'line'])} FROM ${STAGED} s
      WHERE NOT EXISTS (SELECT 1 FROM ${table} t WHERE ${join('t', 's', key)})
      ORDER BY ${list('s.', key)}
    ) AS sorted`.execute(trx)
  return { added: Number(added.numAffectedRows ?? 0), changed: Number(changed.numAffectedRows ?? 0) }
}

/** Query of the lines that upsertStaged would store. */
export function newsOf(target: UpsertTarget) {
  const columns = storedColumns(target)
  const differs = sql`(${list('t.', columns)}) IS DISTINCT FROM (${list('m.', columns)})`
  return sql`
    SELECT m.line FROM ${merged(target)} AS m LEFT JOIN ${sql.table(target.table)} t ON ${join('t', 'm', target.key)}
    WHERE NOT m.known OR ${differs}`
}
