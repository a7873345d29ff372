import type { ClientBase } from 'pg'
import type { ForeignKey } from './placements.ts'

export interface TableFacts {
  name: string
  /** The estimated number of rows; undefined before the first statistics. */
  rows: number | undefined
  /** Including indexes and TOAST. */
  bytes: number
}

/** The tables of the service, without those of extensions. */
export async function readTables(client: ClientBase): Promise<TableFacts[]> {
  const { rows } = await client.query<{ name: string; rows: number | null; bytes: string }>(`
    SELECT relname AS name, pg_total_relation_size(oid)::text AS bytes,
           CASE WHEN reltuples >= 0 THEN reltuples::float8 WHEN relkind = 'r' AND pg_relation_size(oid) = 0 THEN 0 END AS rows
    FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT EXISTS (
      SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = pg_class.oid AND d.deptype = 'e')
    ORDER BY relname`)
  return rows.map((row) => ({ ...row, rows: row.rows ?? undefined, bytes: Number(row.bytes) }))
}

/** A foreign key with the definition to create it again. */
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

export const identifier = (name: string) => `"${name.replaceAll('"', '""')}"`
