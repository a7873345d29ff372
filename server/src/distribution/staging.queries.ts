import { createHash } from 'node:crypto'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Client, ClientBase, Pool } from 'pg'
import type { DB } from '../database/tables.ts'
import { identifier } from './catalogue.queries.ts'
import { placements, type Table } from './placements.ts'

/**
 * The definition of a table that holds the rows of one transaction. On a cluster, the table remains, and later
 * transactions reuse it.
 */
export interface StagingTable {
  /** The name in statements. */
  name: string
  /** Column definitions. If `like` is distributed by a column, they must include this column. */
  columns: string
  /**
   * On a cluster, the staging table is colocated with this table: rows with the same distribution value are on the same
   * node.
   */
  like: Table
}

export async function createTemporary(trx: Kysely<DB>, { name, columns }: StagingTable): Promise<void> {
  await sql`CREATE TEMPORARY TABLE ${sql.id(name)} (${sql.raw(columns)}) ON COMMIT DROP`.execute(trx)
}

export async function dropTemporary(trx: Kysely<DB>, name: string): Promise<void> {
  await sql`DROP TABLE IF EXISTS ${sql.id('pg_temp', name)}`.execute(trx)
}

/** Whether the database is a cluster, and Citus distributes this table or copies it to each node. */
export async function isPlaced(kysely: Kysely<DB>, table: Table): Promise<boolean> {
  const { rows } = await sql<{ citus: boolean }>`
    SELECT to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL AS citus`.execute(kysely)
  if (rows[0]?.citus !== true) return false
  const placed = await sql`SELECT FROM pg_dist_partition WHERE logicalrelid = ${table}::text::regclass`.execute(kysely)
  return placed.rows.length > 0
}

/** The name of the schema of a staging table on a cluster. Concurrent transactions use different slots. */
export function schemaOf(table: StagingTable, slot: number): string {
  const shape = createHash('sha256')
    .update(JSON.stringify([table.name, table.columns, table.like]))
    .digest('hex')
  return `staging_${shape.slice(0, 12)}_${slot}`
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
 * Creates a staging table on the nodes, in a separate transaction. In the transaction that uses the table, the locks of
 * the creation would block other transactions until it ends.
 */
export async function createPlaced(pool: Pool, schema: string, table: StagingTable): Promise<void> {
  await outsideOf(pool, async (client) => {
    const name = `${identifier(schema)}.${identifier(table.name)}`
    const placement = placements[table.like]
    await client.query('BEGIN')
    await client.query(`CREATE SCHEMA IF NOT EXISTS ${identifier(schema)}`)
    await client.query(`CREATE TABLE ${name} (${table.columns})`)
    // Citus needs it to move the shards of this table together with those of colocated tables.
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

/** Runs work on a separate connection, because all connections of the pool may be in use. */
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

/** Fewer rows are removed by DELETE, because TRUNCATE takes longer for them. */
const MIN_ROWS_TO_TRUNCATE = 10_000

export async function removeRows(trx: Kysely<DB>, name: string): Promise<void> {
  const { rows } = await sql<{ few: boolean }>`
    SELECT count(*) < ${MIN_ROWS_TO_TRUNCATE} AS few FROM (SELECT 1 FROM ${sql.id(name)} LIMIT ${MIN_ROWS_TO_TRUNCATE}) AS first`.execute(
    trx,
  )
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

/**
 * Finds the rows of `table` whose value in the column `key` is also in a row of the staging table `keys`. Copies each of
 * them to the staging table `into`, together with the column `carried` of that row of `keys`.
 */
export async function copyFound(
  trx: Kysely<DB>,
  into: string,
  keys: string,
  { table, carried, key, columns }: { table: Table; carried: string; key: string; columns: readonly string[] },
): Promise<void> {
  await sql`
    INSERT INTO ${sql.table(into)} (${list([carried, key, ...columns])})
    SELECT k.${sql.ref(carried)}, ${list([key, ...columns], 't')}
    FROM ${sql.table(keys)} k JOIN ${sql.table(table)} t ON t.${sql.ref(key)} = k.${sql.ref(key)}`.execute(trx)
}

export function equal(one: string, other: string, columns: readonly string[]): RawBuilder<unknown> {
  return sql.join(
    columns.map((column) => sql`${sql.ref(`${one}.${column}`)} = ${sql.ref(`${other}.${column}`)}`),
    sql` AND `,
  )
}
