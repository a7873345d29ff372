import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Client, type ClientConfig } from 'pg'
import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import { differenceOf } from '../database/agreed-time.ts'
import { pendingMigrations } from '../database/migrate.ts'
import { reachServer } from '../database/open.ts'
import { messageOf, remedyOf } from '../database/unusable.ts'
import { roleInCluster } from '../distribution/layout.queries.ts'
import { connectionsOf } from './connections.ts'
import { type DatabaseFacts, readDatabaseFacts } from './database.queries.ts'
import { examineDistribution } from './distribution.ts'
import { type Finding, note, off, ok, problem } from './finding.ts'

const MIN_VERSION = 15
const MAX_VERSION = 18
/** More migrations than a release adds mean an empty database; they are not listed. */
const MAX_LISTED_MIGRATIONS = 5
const MAX_CLOCK_DIFFERENCE_MS = 2_000

export interface ExaminedDatabase {
  findings: Finding[]
  /** The connection of a database with a readable schema; else undefined. */
  connection: ClientConfig | undefined
  close: () => Promise<void>
}

/** Checks that the database is reachable, supported, well configured, migrated, and in time. Changes nothing. */
export async function examineDatabase(config: Config, clock: Clock, timeout: number): Promise<ExaminedDatabase> {
  const nothing = { connection: undefined, close: async () => {} }
  if (config.databaseUrl === undefined && !existsSync(join(config.dataDir, 'postgres', 'PG_VERSION')))
    return {
      ...nothing,
      findings: [off('Database', `the embedded PostgreSQL is created in ${config.dataDir} at the first start`)],
    }
  const advice =
    config.databaseUrl === undefined ? 'See postgres.log in QUESTBOARD_DATA_DIR.' : 'Check DATABASE_URL and the server.'
  let reached: Awaited<ReturnType<typeof reachServer>>
  try {
    reached = await reachServer(config)
  } catch (error) {
    return { ...nothing, findings: [problem('Database', reasonOf(error), advice)] }
  }
  const { connection, stop } = reached
  const client = new Client({ ...connection, connectionTimeoutMillis: timeout, query_timeout: timeout })
  client.on('error', () => {}) // the failing statement reports it
  const close = async () => {
    await client.end().catch(() => {}) // it may never have connected
    await stop()
  }
  try {
    await client.connect()
    const asked = clock.now()
    const facts = await readDatabaseFacts(client)
    const received = clock.now()
    const role = await roleInCluster(client)
    const migrations = await examineMigrations(client)
    const findings = [
      examineServer(facts, client.host),
      examineSettings(facts, config, role === 'coordinator'),
      migrations,
      examineClock(facts, asked, received),
    ]
    const isMigrated = migrations.state === 'ok'
    if (isMigrated) findings.push(...(await examineDistribution(client)))
    return { findings, connection: isMigrated ? connection : undefined, close }
  } catch (error) {
    await close()
    return { ...nothing, findings: [problem('Database', reasonOf(error), remedyOf(error) ?? advice)] }
  }
}

function examineServer({ versionNumber, version }: DatabaseFacts, host: string): Finding {
  const major = Math.floor(versionNumber / 10_000)
  const where = host.startsWith('/') ? 'the embedded server' : host
  if (major >= MIN_VERSION && major <= MAX_VERSION) return ok('Database', `PostgreSQL ${version} at ${where}`)
  return problem(
    'Database',
    `PostgreSQL ${version} at ${where} is not supported`,
    `Use PostgreSQL ${MIN_VERSION} to ${MAX_VERSION}.`,
  )
}

function examineSettings(facts: DatabaseFacts, config: Config, isCoordinator: boolean): Finding {
  const name = 'Database settings'
  const { production } = config
  const needed = connectionsOf(config, { isCoordinator })
  if (facts.readOnly)
    return problem(name, 'the server rejects writes', 'DATABASE_URL must name the primary, not a replica.')
  if (!facts.mayCreate)
    return problem(name, 'the user may not create tables', 'GRANT CREATE ON SCHEMA public TO the user of DATABASE_URL.')
  if (facts.encoding !== 'UTF8')
    return problem(name, `the encoding is ${facts.encoding}`, 'Create the database with ENCODING UTF8.')
  if (facts.isolation !== 'read committed')
    return problem(name, `default_transaction_isolation is ${facts.isolation}`, 'Set it to read committed.')
  if (facts.fsync !== 'on' || facts.synchronousCommit === 'off') {
    const says = `fsync is ${facts.fsync} and synchronous_commit is ${facts.synchronousCommit}: a crash loses acknowledged data`
    return production ? problem(name, says, 'Turn both on.') : note(name, says, 'Turn both on in production.')
  }
  if (facts.maxConnections < needed)
    return note(
      name,
      `max_connections is ${facts.maxConnections}; one instance uses up to ${needed}`,
      'Raise it, or lower WORKERS or QUESTBOARD_DATABASE_CONNECTIONS.',
    )
  return ok(name, `UTF8, read committed, durable, ${facts.maxConnections} connections`)
}

async function examineMigrations(client: Client): Promise<Finding> {
  const name = 'Migrations'
  try {
    const pending = await pendingMigrations(client)
    if (pending.length === 0) return ok(name, 'the schema is up to date')
    return note(
      name,
      `${pending.length} are to be applied${pending.length > MAX_LISTED_MIGRATIONS ? '' : `: ${pending.join(', ')}`}`,
      'The next start applies them, or `questboard migrate`.',
    )
  } catch (error) {
    return problem(name, reasonOf(error), 'Run the version of Questboard that belongs to this database.')
  }
}

/** The database's time must be within the two readings of our clock. */
function examineClock({ now }: DatabaseFacts, asked: number, received: number): Finding {
  const name = 'Clock'
  const difference = differenceOf({ asked, database: now, received })
  if (Math.abs(difference) <= MAX_CLOCK_DIFFERENCE_MS)
    return ok(name, `within ${Math.max(1, Math.abs(difference))} ms of the database's`)
  return problem(
    name,
    `the database's clock is ${Math.abs(difference) / 1000} seconds ${difference > 0 ? 'ahead' : 'behind'}`,
    'Run NTP on both: challenges, tokens and quotas depend on these clocks.',
  )
}

const reasonOf = (error: unknown) => (error instanceof Error ? messageOf(error) : String(error))
