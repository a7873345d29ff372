import { Client, type ClientConfig } from 'pg'
import type { Config } from '../config.ts'
import type { Logger } from '../log.ts'
import { type Database, openDatabase } from './connection.ts'
import { startEmbedded } from './embedded.ts'
import { migrate } from './migrate.ts'

export interface OpenedDatabase {
  database: Database
  /** How to reach the same database, for what opens connections of its own. */
  connection: ClientConfig
  /** The migrations that were applied now. */
  applied: string[]
  /** Closes every connection; stops the embedded server when no other process of this installation uses it. */
  close(): Promise<void>
}

/**
 * Opens the database that the configuration names (DATABASE_URL, else the embedded server of the data folder,
 * started when it does not run yet) and brings its schema up to date.
 * @throws when it cannot be reached, started or migrated; nothing stays open then
 */
export async function openConfiguredDatabase(
  config: Pick<Config, 'databaseUrl' | 'dataDir' | 'readConnections'>,
  log: Logger,
): Promise<OpenedDatabase> {
  const { connection, stop } = await reachServer(config)
  // Stays open as long as the database is in use: the embedded server is stopped when nobody is connected,
  // and the pool's connections come and go.
  const presence = new Client({ ...connection, application_name: 'questboard' })
  presence.on('error', (error) => log.warn({ err: error }, 'the database connection was lost'))
  try {
    await presence.connect()
    const applied = await migrate(presence)
    const database = openDatabase({ connection, readConnections: config.readConnections, log })
    return {
      database,
      connection,
      applied,
      async close() {
        await database.close()
        await presence.end()
        await stop()
      },
    }
  } catch (error) {
    await presence.end().catch(() => {}) // the first failure is the one to report
    await stop()
    throw error
  }
}

async function reachServer(
  config: Pick<Config, 'databaseUrl' | 'dataDir'>,
): Promise<{ connection: ClientConfig; stop: () => Promise<void> }> {
  if (config.databaseUrl === undefined) return startEmbedded({ dataDir: config.dataDir })
  return { connection: { connectionString: config.databaseUrl }, stop: async () => {} }
}
