import { setTimeout as sleep } from 'node:timers/promises'
import { Client, type ClientConfig } from 'pg'
import { SECOND } from '../clock.ts'
import type { Config } from '../config.ts'
import type { Logger } from '../logging/log.ts'
import { connectionOf } from './connection-url.ts'
import { type Database, isUnreachable, openDatabase } from './connection.ts'
import { startEmbedded } from './embedded.ts'
import { FULL_DISK, watchForFullDisk } from './full-disk.ts'
import { migrate, type MigrationWatch } from './migrate.ts'
import { noteSlowMigrations } from './slow-migrations.ts'
import { asUnusable, UnusableDatabaseError } from './explain-unusable.ts'

export interface OpenedDatabase {
  database: Database
  /** Connects to the same database, for code that opens separate connections. */
  connection: ClientConfig
  /** The migrations that were applied now. */
  applied: string[]
  /**
   * Publishes a text about this process in the server's list of connections for as long as the process runs: one of its
   * connections is named `questboard` and that text.
   */
  announce: (what: string) => Promise<void>
  /** The error to report for a failure of the start: a full disk of the embedded server, or the error itself. */
  explain: (error: unknown) => Promise<unknown>
  /** Closes every connection. Stops the embedded server if no other process of this installation uses it. */
  close(): Promise<void>
}

const PRESENCE_RETRY = SECOND / 4
const MAX_ATTEMPTS = 8
const CONNECT_TIMEOUT = 3 * SECOND
/** Afterwards, connections are closed without waiting for the server. */
const CLOSE_TIMEOUT = SECOND

export interface OpenOptions {
  watch?: MigrationWatch
  /** Checks the database before its schema changes. It may have an older schema, or no tables. */
  beforeMigration?: (database: Database) => Promise<void>
}

type DatabaseConfig = Pick<Config, 'databaseUrl' | 'dataDir' | 'readConnections'>

/**
 * Opens the database that the configuration names (DATABASE_URL, else the embedded server of the data folder,
 * started when it does not run yet) and brings its schema up to date.
 * @throws UnusableDatabaseError if the server cannot be reached, started or migrated
 */
export async function openConfiguredDatabase(
  config: DatabaseConfig,
  log: Logger,
  { watch = noteSlowMigrations(log), beforeMigration = async () => {} }: OpenOptions = {},
): Promise<OpenedDatabase> {
  const embedded = config.databaseUrl === undefined
  const diskWasFull = embedded ? await watchForFullDisk(config.dataDir) : async () => false
  const explain = async (error: unknown) =>
    (await diskWasFull()) ? new UnusableDatabaseError(FULL_DISK, { cause: error }) : error
  for (let attempt = 1; ; attempt++) {
    try {
      return { ...(await open(config, log, { watch, beforeMigration })), explain }
    } catch (error) {
      // The last process that exits stops the embedded server. A process that starts at that moment retries.
      if (!embedded || attempt === MAX_ATTEMPTS || !isUnreachable(error))
        throw asUnusable(await explain(error), embedded)
      await sleep(PRESENCE_RETRY)
    }
  }
}

async function open(
  config: DatabaseConfig,
  log: Logger,
  { watch, beforeMigration }: Required<OpenOptions>,
): Promise<Omit<OpenedDatabase, 'explain'>> {
  const { connection, stop } = await reachServer(config)
  let presence: Presence | undefined
  let database: Database | undefined
  try {
    presence = await keepPresence(connection, () => reachServer(config), log)
    const opened = (database = openDatabase({ connection, readConnections: config.readConnections, log }))
    await beforeMigration(opened)
    const applied = await migrate(presence.client, watch)
    const { announce, leave } = presence
    return {
      database: opened,
      connection,
      applied,
      announce,
      async close() {
        await opened.close()
        await leave()
        await stop()
      },
    }
  } catch (error) {
    await database?.close().catch(() => {}) // the first failure is the one to report
    await presence?.leave().catch(() => {})
    await stop()
    throw error
  }
}

interface Presence {
  client: Client
  announce: OpenedDatabase['announce']
  leave: () => Promise<void>
}

/**
 * A connection that stays open as long as the database is in use: the embedded server stops when it has no connections,
 * and the pool's connections are not permanent. A lost connection is made again, and an embedded server that ended is
 * started again.
 */
async function keepPresence(connection: ClientConfig, reach: () => Promise<unknown>, log: Logger): Promise<Presence> {
  let leaving = false
  let name = 'questboard'
  const first = await connect(connection, name, log)
  let current = first
  const keeping = (async () => {
    while (!leaving) {
      await current.ended
      if (!leaving) current = await again()
    }
    await current.client.end()
  })()

  async function again(): Promise<Connected> {
    for (let failed = false; !leaving; failed = true) {
      try {
        await reach()
        return await connect(connection, name, log)
      } catch (error) {
        if (!failed) log.warn({ err: error }, 'the database is unreachable; retrying until it responds')
        await sleep(PRESENCE_RETRY)
      }
    }
    return current
  }

  return {
    client: first.client,
    async announce(what) {
      // The connection that replaces a lost one has this name from the start.
      name = `questboard ${what}`
      await current.client.query(`SELECT set_config('application_name', $1, false)`, [name])
    },
    async leave() {
      leaving = true
      const farewell = Promise.all([current.client.end(), keeping])
      await Promise.race([farewell, sleep(CLOSE_TIMEOUT, undefined, { ref: false })])
      current.client.connection.stream.destroy()
    },
  }
}

interface Connected {
  client: Client
  ended: Promise<void>
}

async function connect(connection: ClientConfig, name: string, log: Logger): Promise<Connected> {
  const client = new Client({ connectionTimeoutMillis: CONNECT_TIMEOUT, ...connection, application_name: name })
  client.on('error', (error) => log.warn({ err: error }, 'the database connection was lost'))
  const ended = new Promise<void>((resolve) => client.once('end', resolve))
  await client.connect()
  return { client, ended }
}

/** Starts the embedded server if the configuration selects it. */
export async function reachServer(
  config: DatabaseConfig,
): Promise<{ connection: ClientConfig; stop: () => Promise<void> }> {
  if (config.databaseUrl === undefined) return startEmbedded({ dataDir: config.dataDir })
  return { connection: connectionOf(config.databaseUrl), stop: async () => {} }
}
