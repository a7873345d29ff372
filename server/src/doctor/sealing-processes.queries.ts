import { type Kysely, sql } from 'kysely'
import type { DB } from '../database/tables.ts'
import { type InstallationSecret, markOf } from '../secrets/installation-secret.ts'

const SEALING = 'sealing '

/** What a running service announces (database/open.ts), so that commands know which secret it seals with. */
export const announcementOf = (secret: InstallationSecret): string => SEALING + markOf(secret)

/** A running instance of the service; one whose connections go through a pooler is not seen. */
export interface SealingProcess {
  /** Whether it seals with the secret that was asked about. */
  current: boolean
  /** Where it connects from; null over a Unix socket. */
  address: string | null
  /** Since when it is connected; null when this role may not know. */
  since: Date | null
}

/** The instances that are connected to this database now, the oldest first. */
export async function readSealing(kysely: Kysely<DB>, secret: InstallationSecret): Promise<SealingProcess[]> {
  const { rows } = await sql<SealingProcess>`
    SELECT application_name = ${`questboard ${announcementOf(secret)}`} AS current, host(client_addr) AS address,
           backend_start AS since
    FROM pg_stat_activity
    WHERE datname = current_database() AND starts_with(application_name, ${`questboard ${SEALING}`})
    ORDER BY backend_start`.execute(kysely)
  return rows
}

/** Where those are that seal with another secret, in words; '' when there are none. */
export const sayBehind = (processes: readonly SealingProcess[]): string =>
  processes
    .filter(({ current }) => !current)
    .map(
      ({ address, since }) =>
        `the one on ${address ?? 'this machine'}${since ? `, connected since ${since.toISOString()}` : ''}`,
    )
    .join('; ')
