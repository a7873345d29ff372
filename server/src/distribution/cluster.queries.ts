import type { ClientBase } from 'pg'
import { identifier } from './catalogue.queries.ts'
import type { Placement } from './placements.ts'

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

/** What Citus knows of its nodes. */
export interface Cluster {
  /** The first number of the extension's version. */
  version: number
  /** Whether this connection leads to the coordinator. */
  isCoordinator: boolean
  /** Whether the coordinator stands in the list of nodes: tables of every node need it there. */
  knowsCoordinator: boolean
  /** Active nodes that take rows of distributed tables. */
  workers: number
  coordinatorTakesRows: boolean
}

/** Only where the extension is made. */
export async function readCluster(client: ClientBase): Promise<Cluster> {
  const { rows } = await client.query<Cluster>(`
    SELECT (SELECT split_part(extversion, '.', 1)::int FROM pg_extension WHERE extname = 'citus') AS version,
           EXISTS (SELECT FROM pg_dist_local_group WHERE groupid = 0) AS "isCoordinator",
           coalesce(bool_or(groupid = 0), false) AS "knowsCoordinator",
           count(*) FILTER (WHERE groupid <> 0 AND shouldhaveshards)::int AS workers,
           coalesce(bool_or(groupid = 0 AND shouldhaveshards), false) AS "coordinatorTakesRows"
    FROM pg_dist_node WHERE isactive AND noderole = 'primary'`)
  return rows[0] as Cluster
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

/** Removes the rows that a table which was moved has left on the coordinator. Does nothing when there are none. */
export async function removeLocalCopy(client: ClientBase, table: string): Promise<void> {
  await client.query('SELECT truncate_local_data_after_distributing_table($1::regclass)', [identifier(table)])
}
