import type { ClientBase } from 'pg'
import { identifier } from './catalogue.queries.ts'
import type { Placement } from './placements.ts'

/** The state of the Citus extension: created in this database, installed on the server, or missing. */
export async function readExtension(client: ClientBase): Promise<'made' | 'installed' | 'missing'> {
  const { rows } = await client.query<{ made: boolean; installed: boolean }>(`
    SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') AS made,
           EXISTS (SELECT FROM pg_available_extensions WHERE name = 'citus') AS installed`)
  if (rows[0]?.made) return 'made'
  return rows[0]?.installed ? 'installed' : 'missing'
}

/** The placement of tables that Citus manages; other tables are on the coordinator. */
export async function readPlaced(client: ClientBase): Promise<Map<string, Placement>> {
  const { rows } = await client.query<{ name: string; kind: string; column: string | null }>(`
    SELECT c.relname AS name, t.citus_table_type AS kind, t.distribution_column AS column
    FROM citus_tables t JOIN pg_class c ON c.oid = t.table_name::oid WHERE c.relnamespace = 'public'::regnamespace`)
  return new Map(rows.map(({ name, kind, column }) => [name, placementOf(kind, column)]))
}

function placementOf(kind: string, column: string | null): Placement {
  if (kind === 'distributed') return column === '<none>' ? { kind: 'single' } : { kind, column: column ?? '' }
  return { kind: kind === 'reference' ? 'reference' : 'local' }
}

export interface Cluster {
  /** The major version of the extension. */
  version: number
  /** Whether this connection leads to the coordinator. */
  isCoordinator: boolean
  /** Whether the coordinator is in the list of nodes, which reference tables require. */
  knowsCoordinator: boolean
  /** Active nodes that accept shards. */
  workers: number
  coordinatorTakesRows: boolean
}

/** Requires the extension. */
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

/**
 * @param column null for all rows on one worker
 * @param together a distributed table to co-locate with
 */
export async function makeDistributed(
  client: ClientBase,
  table: string,
  column: string | null,
  together: string | undefined,
): Promise<void> {
  await client.query('SELECT create_distributed_table($1::regclass, $2, colocate_with => $3)', [
    identifier(table),
    column,
    together === undefined ? 'none' : identifier(together),
  ])
}

/** Removes the rows of a moved table that remain on the coordinator. Does nothing if no such row exists. */
export async function removeLocalCopy(client: ClientBase, table: string): Promise<void> {
  await client.query('SELECT truncate_local_data_after_distributing_table($1::regclass)', [identifier(table)])
}

/**
 * Sets what statements need on a cluster, for connections that are opened later. Generic plans of writes fail there.
 * Transactions that write reference tables and then distributed tables need the sequential mode.
 */
export async function configureDatabase(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ name: string }>('SELECT current_database() AS name')
  const database = identifier(rows[0]?.name ?? '')
  await client.query(`ALTER DATABASE ${database} SET questboard.plan_cache_mode = 'auto'`)
  await client.query(`ALTER DATABASE ${database} SET citus.multi_shard_modify_mode = 'sequential'`)
}
