import { type Kysely, sql } from 'kysely'
import type { DB } from '../database/tables.ts'
import { type InstallationSecret, markOf } from '../secrets/installation-secret.ts'

const SEALING = 'sealing '

/** The text by which a running service announces its secret (database/open.ts). */
export const announcementOf = (secret: InstallationSecret): string => SEALING + markOf(secret)

/** A running process of the service; processes behind a connection pooler are not visible. */
export interface SealingProcess {
  /** Whether it uses the given secret. */
  current: boolean
  /** The client address; null for a Unix socket. */
  address: string | null
  /** The time of the connection; null if the role may not see it. */
  since: Date | null
}

/** The connected processes, oldest first. */
export async function readSealing(kysely: Kysely<DB>, secret: InstallationSecret): Promise<SealingProcess[]> {
  const { rows } = await sql<SealingProcess>`
    SELECT application_name = ${`questboard ${announcementOf(secret)}`} AS current, host(client_addr) AS address,
           backend_start AS since
    FROM pg_stat_activity
    WHERE datname = current_database() AND starts_with(application_name, ${`questboard ${SEALING}`})
    ORDER BY backend_start`.execute(kysely)
  return rows
}

/** The processes with another secret, in words; '' for an empty list. */
export const sayBehind = (processes: readonly SealingProcess[]): string =>
  processes
    .filter(({ current }) => !current)
    .map(
      ({ address, since }) =>
        `the one on ${address ?? 'this machine'}${since ? `, connected since ${since.toISOString()}` : ''}`,
    )
    .join('; ')
