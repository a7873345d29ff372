import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Client, type ClientConfig } from 'pg'
import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import { differenceOf } from '../database/clock-skew.ts'
import { pendingMigrations } from '../database/migrate.ts'
import { reachServer } from '../database/open.ts'
import { messageOf, remedyNameOf, remedyOf } from '../database/explain-unusable.ts'
import { roleInCluster } from '../distribution/layout.queries.ts'
import { connectionsOf } from './connections.ts'
import { type DatabaseFacts, readDatabaseFacts } from './database.queries.ts'
import { examineDistribution } from './distribution.ts'
import type { FindingValue } from '../texts/findings.ts'
import { type Finding, note, off, ok, part, problem } from './finding.ts'

const MIN_VERSION = 15
const MAX_VERSION = 18
/** More migrations than a release adds mean an empty database; they are not listed. */
const MAX_LISTED_MIGRATIONS = 5
const MAX_CLOCK_DIFFERENCE_MS = 2_000

export interface ExaminedDatabase {
  findings: Finding[]
  /** The connection; undefined if the schema of the database is not readable. */
  connection: ClientConfig | undefined
  close: () => Promise<void>
}

/** Checks that the database is reachable, supported, well configured, migrated, and in time. Changes nothing. */
export async function examineDatabase(config: Config, clock: Clock, timeout: number): Promise<ExaminedDatabase> {
  const nothing = { connection: undefined, close: async () => {} }
  if (config.databaseUrl === undefined && !existsSync(join(config.dataDir, 'postgres', 'PG_VERSION')))
    return {
      ...nothing,
      findings: [off('Database', 'database.not-created', { folder: config.dataDir })],
    }
  const usual = part(config.databaseUrl === undefined ? 'remedy.log' : 'remedy.server')
  let reached: Awaited<ReturnType<typeof reachServer>>
  try {
    reached = await reachServer(config)
  } catch (error) {
    return { ...nothing, findings: [unusable(error, usual)] }
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
    return { ...nothing, findings: [unusable(error, remedyPart(error) ?? usual)] }
  }
}

const unusable = (error: unknown, remedy: FindingValue): Finding =>
  problem('Database', 'database.unusable', { reason: reasonOf(error), remedy })

function remedyPart(error: unknown): FindingValue | undefined {
  const [name, text] = [remedyNameOf(error), remedyOf(error)]
  return name === undefined || text === undefined ? undefined : part(`remedy.${name}`, { text })
}

function examineServer({ versionNumber, version }: DatabaseFacts, host: string): Finding {
  const major = Math.floor(versionNumber / 10_000)
  const where = host.startsWith('/') ? part('embedded-server') : host
  if (major >= MIN_VERSION && major <= MAX_VERSION) return ok('Database', 'database.ok', { version, where })
  return problem('Database', 'database.version', { version, where, min: MIN_VERSION, max: MAX_VERSION })
}

function examineSettings(facts: DatabaseFacts, config: Config, isCoordinator: boolean): Finding {
  const name = 'Database settings'
  const { production } = config
  const needed = connectionsOf(config, { isCoordinator })
  if (facts.readOnly) return problem(name, 'database.read-only')
  if (!facts.mayCreate) return problem(name, 'database.no-tables')
  if (facts.encoding !== 'UTF8') return problem(name, 'database.encoding', { encoding: facts.encoding })
  if (facts.isolation !== 'read committed') return problem(name, 'database.isolation', { isolation: facts.isolation })
  if (facts.fsync !== 'on' || facts.synchronousCommit === 'off') {
    const values = { fsync: facts.fsync, commit: facts.synchronousCommit }
    return production ? problem(name, 'database.not-durable', values) : note(name, 'database.not-durable-yet', values)
  }
  if (facts.maxConnections < needed) return note(name, 'database.connections', { max: facts.maxConnections, needed })
  return ok(name, 'database.settings-ok', { max: facts.maxConnections })
}

async function examineMigrations(client: Client): Promise<Finding> {
  const name = 'Migrations'
  try {
    const pending = await pendingMigrations(client)
    if (pending.length === 0) return ok(name, 'migrations.ok')
    const count = pending.length
    return count > MAX_LISTED_MIGRATIONS
      ? note(name, 'migrations.many', { count })
      : note(name, 'migrations.some', { count, names: pending.join(', ') })
  } catch (error) {
    return problem(name, 'migrations.foreign', { reason: reasonOf(error) })
  }
}

/** The time of the database must be between two readings of the clock of this process. */
function examineClock({ now }: DatabaseFacts, asked: number, received: number): Finding {
  const name = 'Clock'
  const difference = differenceOf({ asked, database: now, received })
  if (Math.abs(difference) <= MAX_CLOCK_DIFFERENCE_MS)
    return ok(name, 'clock.ok', { milliseconds: Math.max(1, Math.abs(difference)) })
  const seconds = Math.abs(difference) / 1000
  return problem(name, difference > 0 ? 'clock.ahead' : 'clock.behind', { seconds })
}

const reasonOf = (error: unknown) => (error instanceof Error ? messageOf(error) : String(error))
