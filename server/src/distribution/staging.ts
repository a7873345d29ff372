import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Pool } from 'pg'
import type { DB } from '../database/tables.ts'
import { lockEach, lockTogether, type RowsToLock } from './locks.queries.ts'
import { placements, type Table } from './placements.ts'
import {
  analyzeRows,
  claimSchema,
  copyFound,
  copyRows,
  createPlaced,
  createTemporary,
  dropTemporary,
  equal,
  isPlaced,
  removeRows,
  schemaOf,
  type StagingTable,
  tableExists,
  useSchema,
} from './staging.queries.ts'

/** The tables of one transaction that no other transaction sees. */
export interface Staging {
  create(table: StagingTable): Promise<void>
  analyze(name: string): Promise<void>
  /**
   * Locks the rows whose keys are in a staging table, in the order of their keys. On a cluster, rows of many distribution
   * values are not locked, so the transaction may fail with a deadlock; it must then be retried.
   */
  lock(rows: RowsToLock): Promise<void>
  /** Prepares rows for a join with the table `like`. On a cluster, copies them to the nodes with the rows of `like`. */
  move(rows: MovedRows): Promise<RawBuilder<unknown>>
  /** Prepares a join of staged rows with `table`. On a cluster, copies the rows of `table` to the nodes of `by.like`. */
  near(rows: ColocatedRows): Promise<ColocatedCopy>
  /** Removes the rows. Call it before the commit. The transaction may then create the tables again. */
  end(): Promise<void>
}

export interface MovedRows {
  /** The name of the copies. */
  name: string
  rows: RawBuilder<unknown>
  /** The types of the columns. */
  columns: Record<string, string>
  where: RawBuilder<unknown>
  like: Table
}

export interface ColocatedRows {
  /** The name of the copies. */
  name: string
  rows: RawBuilder<unknown>
  /** The distribution column of the staged rows, and a table that is distributed by it. */
  by: { column: string; type: string; like: Table }
  table: Table
  /** The column of the table and of the staged rows that joins them; the table is distributed by it. */
  key: { column: string; type: string }
  /** The types of the table's other columns. */
  columns: Record<string, string>
}

export interface ColocatedCopy {
  relation: RawBuilder<unknown>
  on(alias: string, staged: string): RawBuilder<unknown>
}

const MAX_CONCURRENT = 64
/** The placement of tables does not change while a process runs. */
const known = new WeakMap<Pool, Map<Table, boolean>>()

/**
 * Staging tables of a transaction: temporary tables on one server. On a cluster, a temporary table cannot be joined with
 * distributed tables, so the transaction reserves distributed ones that exist already, if possible.
 */
export function stagingOf({ pool }: { pool: Pool }, trx: Kysely<DB>): Staging {
  const placed = new Map<string, StagingTable>()
  const temporary = new Set<string>()
  const create = async (table: StagingTable) => {
    if (!(await isPlacedKnown(pool, trx, table.like))) {
      await createTemporary(trx, table)
      temporary.add(table.name)
      return
    }
    await usePlaced(pool, trx, table)
    placed.set(table.name, table)
  }
  return {
    create,
    async analyze(name) {
      const table = placed.get(name)
      // Tables that are not distributed are small there, and a copy on each node cannot be analyzed in a transaction.
      if (!table || placements[table.like].kind === 'distributed') await analyzeRows(trx, name)
    },
    async lock(rows) {
      if (await isPlacedKnown(pool, trx, rows.table)) await lockEach(trx, rows)
      else await lockTogether(trx, rows)
    },
    async move({ name, rows, columns, where, like }) {
      if (!(await isPlacedKnown(pool, trx, like))) return rows
      await create({ name, columns: definitions(columns), like })
      await copyRows(trx, name, rows, Object.keys(columns), where)
      return sql.table(name)
    },
    async near({ name, rows, by, table, key, columns }) {
      const relation = sql.table(table)
      if (!(await isPlacedKnown(pool, trx, table))) return { relation, on: (a, b) => equal(a, b, [key.column]) }
      const keys = { [by.column]: by.type, [key.column]: key.type }
      await create({ name: `${name}_keys`, columns: definitions(keys), like: table })
      await copyRows(trx, `${name}_keys`, rows, Object.keys(keys), sql`true`)
      await create({ name, columns: definitions({ ...keys, ...columns }), like: by.like })
      await copyFound(trx, name, `${name}_keys`, {
        table,
        carried: by.column,
        key: key.column,
        columns: Object.keys(columns),
      })
      return { relation: sql.table(name), on: (a, b) => equal(a, b, [by.column, key.column]) }
    },
    async end() {
      for (const name of placed.keys()) await removeRows(trx, name)
      for (const name of temporary) await dropTemporary(trx, name)
      placed.clear()
      temporary.clear()
    },
  }
}

async function isPlacedKnown(pool: Pool, trx: Kysely<DB>, table: Table): Promise<boolean> {
  const tables = known.get(pool) ?? new Map<Table, boolean>()
  known.set(pool, tables)
  const found = tables.get(table) ?? (await isPlaced(trx, table))
  tables.set(table, found)
  return found
}

async function usePlaced(pool: Pool, trx: Kysely<DB>, table: StagingTable): Promise<void> {
  for (let slot = 1; slot <= MAX_CONCURRENT; slot++) {
    const schema = schemaOf(table, slot)
    if (!(await claimSchema(trx, schema))) continue
    if (!(await tableExists(trx, schema, table))) await createPlaced(pool, schema, table)
    return useSchema(trx, schema)
  }
  throw new Error(`${MAX_CONCURRENT} transactions already use staging tables like ${table.name}`)
}

const definitions = (columns: Record<string, string>) =>
  Object.entries(columns)
    .map(([name, type]) => `${name} ${type}`)
    .join(', ')
