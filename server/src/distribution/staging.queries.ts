import { createHash } from 'node:crypto'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Client, ClientBase, Pool } from 'pg'
import type { DB } from '../database/tables.ts'
import { identifier } from './catalogue.queries.ts'
import { placements, type Table } from './placements.ts'

/** A table for the rows of one transaction, and its definition. */
export interface StagingTable {
  /** The name in statements. */
  name: string
  /** Column definitions; with the distribution column of `like`. */
  columns: string
  /** On a cluster, rows are on the node of the rows of this table with the same distribution value. */
  like: Table
}

export async function createTemporary(trx: Kysely<DB>, { name, columns }: StagingTable): Promise<void> {
  await sql`CREATE TEMPORARY TABLE ${sql.id(name)} (${sql.raw(columns)}) ON COMMIT DROP`.execute(trx)
}

export async function dropTemporary(trx: Kysely<DB>, name: string): Promise<void> {
  await sql`DROP TABLE IF EXISTS ${sql.id('pg_temp', name)}`.execute(trx)
}

/** Whether a cluster has placed this table. */
export async function isPlaced(kysely: Kysely<DB>, table: Table): Promise<boolean> {
  const { rows } = await sql<{ citus: boolean }>`
    SELECT to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL AS citus`.execute(kysely)
  if (rows[0]?.citus !== true) return false
  const placed = await sql`SELECT FROM pg_dist_partition WHERE logicalrelid = ${table}::text::regclass`.execute(kysely)
  return placed.rows.length > 0
}

/** The schema of a staging table of a cluster: one for each concurrent transaction. */
export function schemaOf(table: StagingTable, place: number): string {
  const shape = createHash('sha256')
    .update(JSON.stringify([table.name, table.columns, table.like]))
    .digest('hex')
  return `staging_${shape.slice(0, 12)}_${place}`
}

/** Reserves a schema until the transaction ends. Returns false if another transaction uses it. */
export async function claimSchema(trx: Kysely<DB>, schema: string): Promise<boolean> {
  const { rows } = await sql<{ claimed: boolean }>`
    SELECT pg_try_advisory_xact_lock(hashtextextended(${`questboard ${schema}`}, 0)) AS claimed`.execute(trx)
  return rows[0]?.claimed === true
}

export async function tableExists(trx: Kysely<DB>, schema: string, { name }: StagingTable): Promise<boolean> {
  const { rows } = await sql<{ exists: boolean }>`
    SELECT to_regclass(${`${schema}.${name}`}) IS NOT NULL AS exists`.execute(trx)
  return rows[0]?.exists === true
}

/**
 * Creates a staging table on the nodes, in a separate transaction, because its locks would block others until the end
 * of the import. Nodes can move its rows with those of the tables at the same place.
 */
export async function createPlaced(pool: Pool, schema: string, table: StagingTable): Promise<void> {
  await outsideOf(pool, async (client) => {
    const name = `${identifier(schema)}.${identifier(table.name)}`
    const placement = placements[table.like]
    await client.query('BEGIN')
    await client.query(`CREATE SCHEMA IF NOT EXISTS ${identifier(schema)}`)
    await client.query(`CREATE TABLE ${name} (${table.columns})`)
    await client.query(`ALTER TABLE ${name} REPLICA IDENTITY FULL`)
    if (placement.kind === 'reference') await client.query('SELECT create_reference_table($1::regclass)', [name])
    else
      await client.query('SELECT create_distributed_table($1::regclass, $2, colocate_with => $3)', [
        name,
        placement.kind === 'distributed' ? placement.column : null,
        identifier(table.like),
      ])
    await client.query('COMMIT')
  })
}

/** Runs work on a connection outside the pool, because the pool may have no free one. */
async function outsideOf(pool: Pool, work: (client: ClientBase) => Promise<void>): Promise<void> {
  const { Client, options } = pool as unknown as { Client: new (options: unknown) => Client; options: unknown }
  const client = new Client(options)
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}

/** Lets statements of the transaction find the tables of a schema. */
export async function useSchema(trx: Kysely<DB>, schema: string): Promise<void> {
  await sql`
    SELECT set_config('search_path', ${identifier(schema)} || ', ' || current_setting('search_path'), true)`.execute(
    trx,
  )
}

/** Updates the statistics that the planner needs to join the rows. */
export async function analyzeRows(trx: Kysely<DB>, name: string): Promise<void> {
  await sql`ANALYZE ${sql.table(name)}`.execute(trx)
}

/** More rows are removed by TRUNCATE, which takes longer for a few rows. */
const FEW_ROWS = 10_000

export async function removeRows(trx: Kysely<DB>, name: string): Promise<void> {
  const { rows } = await sql<{ few: boolean }>`
    SELECT count(*) < ${FEW_ROWS} AS few FROM (SELECT 1 FROM ${sql.id(name)} LIMIT ${FEW_ROWS}) AS first`.execute(trx)
  if (rows[0]?.few) await sql`DELETE FROM ${sql.id(name)}`.execute(trx)
  else await sql`TRUNCATE ${sql.id(name)}`.execute(trx)
}

const list = (columns: readonly string[], alias?: string) =>
  sql.join(columns.map((column) => sql.ref(alias === undefined ? column : `${alias}.${column}`)))

/** Copies the distinct rows of a relation to a staging table. */
export async function copyRows(
  trx: Kysely<DB>,
  into: string,
  rows: RawBuilder<unknown>,
  columns: readonly string[],
  where: RawBuilder<unknown>,
): Promise<void> {
  await sql`
    INSERT INTO ${sql.table(into)} (${list(columns)})
    SELECT DISTINCT ${list(columns)} FROM ${rows} AS moved WHERE ${where}`.execute(trx)
}

/** Copies the rows of a table that have a key of `keys` to a staging table, with the column `by` of `keys`. */
export async function copyFound(
  trx: Kysely<DB>,
  into: string,
  keys: string,
  { table, by, key, columns }: { table: Table; by: string; key: string; columns: readonly string[] },
): Promise<void> {
  await sql`
    INSERT INTO ${sql.table(into)} (${list([by, key, ...columns])})
    SELECT k.${sql.ref(by)}, ${list([key, ...columns], 't')}
    FROM ${sql.table(keys)} k JOIN ${sql.table(table)} t ON t.${sql.ref(key)} = k.${sql.ref(key)}`.execute(trx)
}

/** The condition that columns of two relations are equal. */
export function equal(one: string, other: string, columns: readonly string[]): RawBuilder<unknown> {
  return sql.join(
    columns.map((column) => sql`${sql.ref(`${one}.${column}`)} = ${sql.ref(`${other}.${column}`)}`),
    sql` AND `,
  )
}
