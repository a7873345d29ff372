import { Client, type ClientConfig, type Pool, type QueryResultRow } from 'pg'

/** Runs work with a connection. */
export async function withClient<T>(connection: ClientConfig, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client(connection)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** Runs a statement outside the databases of tests, on every node. */
export async function maintain(nodes: readonly ClientConfig[], sql: string): Promise<void> {
  await Promise.all(
    nodes.map((node) => withClient({ ...node, database: 'postgres' }, (client) => client.query<QueryResultRow>(sql))),
  )
}

/** A database can be copied only while no process uses it; Citus keeps one for each database. */
export async function closeForCopies(nodes: readonly ClientConfig[], database: string): Promise<void> {
  await maintain(nodes, `ALTER DATABASE ${database} ALLOW_CONNECTIONS false`)
  await maintain(nodes, `SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = '${database}'`)
}

const OBJECT_IN_USE = '55006'
const MAX_DROPS = 5

/** Drops a database on every node; the coordinator first, because its Citus connects to the others. */
export async function dropOnEveryNode(nodes: readonly ClientConfig[], database: string): Promise<void> {
  const [coordinator = {}, ...workers] = nodes
  for (const some of [[coordinator], workers])
    for (let tries = 1; ; tries++)
      try {
        await maintain(some, `DROP DATABASE IF EXISTS ${database} WITH (FORCE)`)
        break
      } catch (error) {
        // On a busy machine, a terminated process may take longer to end than PostgreSQL waits.
        if ((error as { code?: string }).code !== OBJECT_IN_USE || tries === MAX_DROPS) throw error
      }
}

/** Drops the databases whose names begin so. */
export async function dropAll(nodes: readonly ClientConfig[], beginning: string): Promise<void> {
  for (const node of nodes)
    await withClient({ ...node, database: 'postgres' }, async (client) => {
      const { rows } = await client.query<{ name: string }>(
        'SELECT datname AS name FROM pg_database WHERE starts_with(datname, $1)',
        [beginning],
      )
      for (const { name } of rows) await client.query(`DROP DATABASE ${name} WITH (FORCE)`)
    })
}

/** Creates an empty database on every node, and a cluster of these databases if there are several. */
export async function createOnEveryNode(nodes: readonly ClientConfig[], database: string): Promise<void> {
  await maintain(nodes, `CREATE DATABASE ${database}`)
  if (nodes.length > 1) await joinNodes(nodes, database)
}

async function joinNodes(nodes: readonly ClientConfig[], database: string): Promise<void> {
  const [coordinator = {}, ...workers] = nodes
  for (const node of nodes) await withClient({ ...node, database }, (client) => client.query('CREATE EXTENSION citus'))
  await withClient({ ...coordinator, database }, async (client) => {
    await client.query('SELECT citus_set_coordinator_host($1, $2)', [coordinator.host, coordinator.port])
    for (const { host, port } of workers) await client.query('SELECT citus_add_node($1, $2)', [host, port])
  })
}

/** The workers of the cluster that a database coordinates; none if it has no extension. */
export async function workersOf(server: ClientConfig, database: string): Promise<ClientConfig[]> {
  return withClient({ ...server, database: database || 'postgres' }, async (client) => {
    const { rows } = await client.query(`SELECT FROM pg_extension WHERE extname = 'citus'`)
    if (rows.length === 0) return []
    const found = await client.query<{ host: string; port: number }>(
      `SELECT nodename AS host, nodeport AS port FROM pg_dist_node WHERE groupid <> 0 AND isactive ORDER BY nodeid`,
    )
    return found.rows.map(({ host, port }) => ({ ...server, host, port }))
  })
}

/** The ports of the nodes that own these spaces. */
export async function portsOf(pool: Pool, spaces: readonly number[]): Promise<Map<number, number>> {
  const { rows } = await pool.query<{ space: number; port: number }>(
    `SELECT s.space, n.nodeport AS port FROM unnest($1::int[]) AS s (space)
     JOIN pg_dist_placement p ON p.shardid = get_shard_id_for_distribution_column('boards', s.space)
     JOIN pg_dist_node n USING (groupid)`,
    [spaces],
  )
  return new Map(rows.map(({ space, port }) => [space, port]))
}

/** The transactions of a database that are prepared on any node, and not ended yet. */
export async function preparedTransactions(nodes: readonly ClientConfig[], database: string): Promise<string[]> {
  const found = nodes.map((node) =>
    withClient({ ...node, database }, (client) =>
      client.query<{ gid: string }>('SELECT gid FROM pg_prepared_xacts WHERE database = current_database()'),
    ),
  )
  return (await Promise.all(found)).flatMap(({ rows }) => rows.map(({ gid }) => gid))
}
