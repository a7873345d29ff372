import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from 'pg'
import { SECOND } from '../clock.ts'
import { splitStatements } from './split-statements.ts'
import { LOCK_NOT_AVAILABLE } from './sql-states.ts'

const folder = join(import.meta.dirname, '../../migrations')
// Any fixed number: one lock for everything that changes the schema.
const MIGRATION_LOCK = 7_305_118_001

/**
 * A waiting lock request blocks all later ones. So a migration waits for a lock only briefly, and tries again after
 * a pause in which the others continue.
 */
const LOCK_WAIT = SECOND / 2
const MIN_PAUSE = SECOND
const MAX_PAUSE = 8 * SECOND

interface Migration {
  name: string
  sql: string
  checksum: string
}

async function readMigrations(): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).toSorted()
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(join(folder, name), 'utf8')
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') }
    }),
  )
}

/** Receives the progress of migrations; `at` counts from 1. */
export interface MigrationWatch {
  begins(name: string, at: number, total: number): void
  applied(name: string): void
  /** The migration waits for locks and is retried. `holders` are the sessions with the longest transactions. */
  waits(name: string, holders: string): void
  /** All migrations were applied, or one has failed. */
  ended(): void
}

/**
 * Brings the schema up to date: forward only, each file in one transaction, under a lock, so that several instances may
 * start at once.
 * @returns the names of the migrations that were applied now
 * @throws if an applied file was changed or is unknown to this version
 */
export async function migrate(client: Client, watch?: MigrationWatch): Promise<string[]> {
  const migrations = await readMigrations()
  await client.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK])
  try {
    await client.query(`CREATE TABLE IF NOT EXISTS schema_migrations (
      name text PRIMARY KEY, checksum text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`)
    const { rows } = await client.query<{ name: string; checksum: string }>(
      'SELECT name, checksum FROM schema_migrations',
    )
    const applied = new Map(rows.map((row) => [row.name, row.checksum]))
    refuseForeignHistory(migrations, applied)
    const pending = migrations.filter((migration) => !applied.has(migration.name))
    for (const [index, migration] of pending.entries()) {
      watch?.begins(migration.name, index + 1, pending.length)
      for (let pause = MIN_PAUSE; !(await apply(client, migration)); pause = Math.min(2 * pause, MAX_PAUSE)) {
        watch?.waits(migration.name, await longTransactions(client))
        await sleep(pause)
      }
      watch?.applied(migration.name)
    }
    return pending.map((migration) => migration.name)
  } finally {
    watch?.ended()
    await client.query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK])
  }
}

/** Returns the migrations that `migrate` would run. @throws as migrate does */
export async function pendingMigrations(client: Client): Promise<string[]> {
  const migrations = await readMigrations()
  const { rows: tables } = await client.query<{ there: boolean }>(
    `SELECT to_regclass('schema_migrations') IS NOT NULL AS there`,
  )
  if (!tables[0]?.there) return migrations.map((migration) => migration.name)
  const { rows } = await client.query<{ name: string; checksum: string }>(
    'SELECT name, checksum FROM schema_migrations',
  )
  const applied = new Map(rows.map((row) => [row.name, row.checksum]))
  refuseForeignHistory(migrations, applied)
  return migrations.filter((migration) => !applied.has(migration.name)).map((migration) => migration.name)
}

function refuseForeignHistory(migrations: Migration[], applied: Map<string, string>): void {
  const known = new Map(migrations.map((migration) => [migration.name, migration.checksum]))
  for (const [name, checksum] of applied) {
    if (!known.has(name))
      throw new Error(
        `The database was migrated by a newer version of Questboard (${name}). Start that version, or restore a backup.`,
      )
    if (known.get(name) !== checksum)
      throw new Error(
        `The migration ${name} was changed after it had been applied. Restore the file; put changes into a new one.`,
      )
  }
}

/** @returns false if a lock that it needs is held; then nothing was changed */
async function apply(client: Client, migration: Migration): Promise<boolean> {
  await client.query('BEGIN')
  try {
    await client.query(`SET LOCAL lock_timeout = ${LOCK_WAIT}`)
    // One by one, because Citus sends the whole text of a command to its other nodes, which accept one statement.
    for (const statement of splitStatements(migration.sql)) await client.query(statement)
    await client.query('INSERT INTO schema_migrations (name, checksum) VALUES ($1, $2)', [
      migration.name,
      migration.checksum,
    ])
    await client.query('COMMIT')
    return true
  } catch (error) {
    await client.query('ROLLBACK')
    if ((error as { code?: unknown }).code === LOCK_NOT_AVAILABLE) return false
    throw new Error(`The migration ${migration.name} failed: ${(error as Error).message}`, { cause: error })
  }
}

async function longTransactions(client: Client): Promise<string> {
  const { rows } = await client.query<{ holder: string }>(
    `SELECT format('%s (process %s, for %s s)', coalesce(nullif(application_name, ''), usename), pid,
       extract(epoch FROM clock_timestamp() - xact_start)::int) AS holder
     FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
       AND xact_start < clock_timestamp() - $1::float8 * interval '1 millisecond'
     ORDER BY xact_start LIMIT 3`,
    [LOCK_WAIT],
  )
  return rows.map(({ holder }) => holder).join(', ')
}
