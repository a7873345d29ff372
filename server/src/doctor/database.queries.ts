import type { Client } from 'pg'

export interface DatabaseFacts {
  versionNumber: number
  version: string
  encoding: string
  /** Milliseconds since 1970 by the database's clock. */
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

export interface ReplicaFacts {
  follows: boolean
  /** Seconds since the commit of the last replayed transaction; null before the first one. */
  age: number | null
  /** Whether it is connected to its primary. */
  streams: boolean
}

export async function readReplicaFacts(client: Client): Promise<ReplicaFacts> {
  const { rows } = await client.query<ReplicaFacts>(`
    SELECT pg_is_in_recovery() AS follows,
           extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp())::float8 AS age,
           EXISTS (SELECT FROM pg_stat_wal_receiver) AS streams`)
  return rows[0] as ReplicaFacts
}

/** The id of the installation; undefined if the schema does not exist. */
export async function readInstallationMark(client: Client): Promise<string | undefined> {
  const { rows: found } = await client.query<{ there: boolean }>(
    `SELECT to_regclass('public.installation') IS NOT NULL AS there`,
  )
  if (!found[0]?.there) return undefined
  const { rows } = await client.query<{ mark: string }>(
    `SELECT md5(string_agg(value, '' ORDER BY name)) AS mark FROM installation`,
  )
  return rows[0]?.mark
}

export async function readMaxConnections(client: Client): Promise<number> {
  const { rows } = await client.query<{ limit: number }>(`SELECT current_setting('max_connections')::int AS limit`)
  return rows[0]?.limit ?? 0
}
