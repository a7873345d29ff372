import type { Client } from 'pg'

export interface DatabaseFacts {
  versionNumber: number
  version: string
  encoding: string
  /** Milliseconds since 1970, by the database's clock. */
  now: number
  maxConnections: number
  readOnly: boolean
  mayCreate: boolean
  fsync: string
  synchronousCommit: string
  isolation: string
}

export async function readDatabaseFacts(client: Client): Promise<DatabaseFacts> {
  const { rows } = await client.query<DatabaseFacts>(`
    SELECT current_setting('server_version_num')::int AS "versionNumber",
           split_part(current_setting('server_version'), ' ', 1) AS version,
           current_setting('server_encoding') AS encoding,
           (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now,
           current_setting('max_connections')::int AS "maxConnections",
           pg_is_in_recovery() OR current_setting('default_transaction_read_only') = 'on' AS "readOnly",
           has_schema_privilege('public', 'CREATE') AS "mayCreate",
           current_setting('fsync') AS fsync,
           current_setting('synchronous_commit') AS "synchronousCommit",
           current_setting('default_transaction_isolation') AS isolation`)
  return rows[0] as DatabaseFacts
}
