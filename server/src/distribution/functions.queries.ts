import type { ClientBase } from 'pg'

/** The functions of the migrations that Citus does not create on each node yet, with their parameters. */
export async function readUnshared(client: ClientBase, hasCitus: boolean): Promise<string[]> {
  const shared = hasCitus
    ? `EXISTS (SELECT FROM pg_dist_object d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid)`
    : 'false'
  const { rows } = await client.query<{ name: string }>(
    `SELECT p.oid::regprocedure::text AS name FROM pg_proc p
     WHERE p.pronamespace = 'public'::regnamespace AND p.prokind = 'f' AND NOT ${shared} AND NOT EXISTS (
       SELECT FROM pg_depend e WHERE e.classid = 'pg_proc'::regclass AND e.objid = p.oid AND e.deptype = 'e')
     ORDER BY name`,
  )
  return rows.map(({ name }) => name)
}

/**
 * Citus creates a function on the other nodes only if it was part of the cluster when a migration created it. Nodes that
 * own a space call the functions of awards. Citus also creates them on nodes that are added later, and replaces them.
 */
export async function shareFunctions(client: ClientBase, functions: readonly string[]): Promise<void> {
  for (const name of functions) await client.query('SELECT create_distributed_function($1::regprocedure)', [name])
}
