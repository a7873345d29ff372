import type { ClientBase } from 'pg'
import type { ForeignKey, Placement } from './placements.ts'

export interface TableFacts {
  name: string
  /** As the statistics have it; -1 when there are none yet. */
  rows: number
  /** With indexes and large values, in bytes. */
  bytes: number
}

/** The tables of the service, without those of the job queue. */
export async function readTables(client: ClientBase): Promise<TableFacts[]> {
  const { rows } = await client.query<{ name: string; rows: number; bytes: string }>(`
    SELECT relname AS name, reltuples::float8 AS rows, pg_total_relation_size(oid)::text AS bytes
    FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT EXISTS (
      SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = pg_class.oid AND d.deptype = 'e')
    ORDER BY relname`)
  return rows.map((row) => ({ ...row, bytes: Number(row.bytes) }))
}

/** A foreign key as it can be written down and made again. */
export interface DefinedForeignKey extends ForeignKey {
  definition: string
}

export async function readForeignKeys(client: ClientBase): Promise<DefinedForeignKey[]> {
  const { rows } = await client.query<DefinedForeignKey>(`
    SELECT k.conname AS name, t.relname AS table, r.relname AS target, pg_get_constraintdef(k.oid) AS definition,
           ARRAY(SELECT a.attname::text FROM unnest(k.conkey) WITH ORDINALITY AS c (number, place)
                 JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = c.number ORDER BY c.place) AS columns,
           ARRAY(SELECT a.attname::text FROM unnest(k.confkey) WITH ORDINALITY AS c (number, place)
                 JOIN pg_attribute a ON a.attrelid = k.confrelid AND a.attnum = c.number ORDER BY c.place) AS "targetColumns"
    FROM pg_constraint k JOIN pg_class t ON t.oid = k.conrelid JOIN pg_class r ON r.oid = k.confrelid
    WHERE k.contype = 'f' AND t.relnamespace = 'public'::regnamespace AND r.relnamespace = 'public'::regnamespace
    ORDER BY t.relname, k.conname`)
  return rows
}

/** What the server has of the extension: made in this database, there to be made, or not installed. */
export async function readExtension(client: ClientBase): Promise<'made' | 'installed' | 'missing'> {
  const { rows } = await client.query<{ made: boolean; installed: boolean }>(`
    SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') AS made,
           EXISTS (SELECT FROM pg_available_extensions WHERE name = 'citus') AS installed`)
  if (rows[0]?.made) return 'made'
  return rows[0]?.installed ? 'installed' : 'missing'
}

/** Where Citus has the tables that it knows; those that it does not know are on the coordinator. */
export async function readPlaced(client: ClientBase): Promise<Map<string, Placement>> {
  const { rows } = await client.query<{ name: string; kind: string; column: string | null }>(`
    SELECT c.relname AS name, t.citus_table_type AS kind, t.distribution_column AS column
    FROM citus_tables t JOIN pg_class c ON c.oid = t.table_name::oid WHERE c.relnamespace = 'public'::regnamespace`)
  return new Map(rows.map(({ name, kind, column }) => [name, placementOf(kind, column)]))
}

function placementOf(kind: string, column: string | null): Placement {
  if (kind === 'distributed') return { kind, column: column ?? '' }
  return { kind: kind === 'reference' ? 'reference' : 'local' }
}

const identifier = (name: string) => `"${name.replaceAll('"', '""')}"`
const WAITING = 'distribution.foreign-keys'

/** Foreign keys that were dropped and are to be made again, if a run was cut short. */
export async function readWaitingKeys(client: ClientBase): Promise<DefinedForeignKey[]> {
  const { rows } = await client.query<{ value: string }>('SELECT value FROM installation WHERE name = $1', [WAITING])
  return JSON.parse(rows[0]?.value ?? '[]') as DefinedForeignKey[]
}

/** Drops foreign keys, and writes down those that are to come back, in one transaction. */
export async function dropForeignKeys(
  client: ClientBase,
  drop: readonly ForeignKey[],
  comeBack: readonly DefinedForeignKey[],
): Promise<void> {
  await client.query('BEGIN')
  try {
    await client.query(
      'INSERT INTO installation (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
      [WAITING, JSON.stringify(comeBack)],
    )
    for (const { table, name } of drop)
      await client.query(`ALTER TABLE ${identifier(table)} DROP CONSTRAINT ${identifier(name)}`)
    await client.query('COMMIT')
  } catch (error) {
    await client.query('ROLLBACK')
    throw error
  }
}

export async function addForeignKey(client: ClientBase, { table, name, definition }: DefinedForeignKey): Promise<void> {
  await client.query(`ALTER TABLE ${identifier(table)} ADD CONSTRAINT ${identifier(name)} ${definition}`)
}

export async function forgetWaitingKeys(client: ClientBase): Promise<void> {
  await client.query('DELETE FROM installation WHERE name = $1', [WAITING])
}

export async function makeReference(client: ClientBase, table: string): Promise<void> {
  await client.query('SELECT create_reference_table($1::regclass)', [identifier(table)])
}

/** @param together a distributed table whose rows of the same value are to be on the same node */
export async function makeDistributed(
  client: ClientBase,
  table: string,
  column: string,
  together: string | undefined,
): Promise<void> {
  await client.query('SELECT create_distributed_table($1::regclass, $2, colocate_with => $3)', [
    identifier(table),
    column,
    together === undefined ? 'none' : identifier(together),
  ])
}
