import type { ClientBase } from 'pg'

// An arbitrary constant: the advisory lock of all moves of tables.
const DISTRIBUTION_LOCK = 7_305_118_002

/** Holds the lock until the session ends or releases it. Returns false if another session holds it. */
export async function claimDistribution(client: ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ claimed: boolean }>('SELECT pg_try_advisory_lock($1) AS claimed', [
    DISTRIBUTION_LOCK,
  ])
  return rows[0]?.claimed === true
}

export async function releaseDistribution(client: ClientBase): Promise<void> {
  await client.query('SELECT pg_advisory_unlock($1)', [DISTRIBUTION_LOCK])
}

/** The connections of one process, or of several with the same name. */
export interface Connected {
  name: string
  /** The client address; null for a Unix socket. */
  address: string | null
  connections: number
}

/**
 * Other connections of Questboard to this database. A process has one connection named `questboard` (a service:
 * `questboard sealing …`) and others named `questboard 1a2b3c4d 1`, `questboard 1a2b3c4d 2`, … with an id of the
 * process.
 */
export async function readOthers(client: ClientBase): Promise<Connected[]> {
  const { rows } = await client.query<Connected & { own: number }>(`
    WITH own AS (SELECT regexp_replace(current_setting('application_name'), ' [0-9]+$', '') AS name)
    SELECT a.name, host(a.client_addr) AS address, count(*)::int AS connections,
           (a.name = 'questboard' AND own.name LIKE 'questboard %' AND a.client_addr IS NOT DISTINCT FROM inet_client_addr())::int AS own
    FROM own, (
      SELECT regexp_replace(application_name, ' [0-9]+$', '') AS name, client_addr FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()) a
    WHERE (a.name = 'questboard' OR a.name LIKE 'questboard %') AND a.name NOT IN ('questboard probe', own.name)
    GROUP BY a.name, a.client_addr, own.name ORDER BY a.name, address`)
  return rows
    .map(({ name, address, connections, own }) => ({ name, address, connections: connections - own }))
    .filter(({ connections }) => connections > 0)
}
