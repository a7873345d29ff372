import type { ControlledTransaction, Kysely } from 'kysely'
import type { Pool } from 'pg'
import { onTestFinished } from 'vitest'
import type { DB } from '../../src/database/tables.ts'

/**
 * A transaction that stays open until the test commits it. The end of the test rolls it back, so that tests after a failed
 * one do not wait for its locks.
 */
export async function holdTransaction(kysely: Kysely<DB>): Promise<ControlledTransaction<DB>> {
  const held = await kysely.startTransaction().execute()
  onTestFinished(async () => {
    if (!held.isCommitted && !held.isRolledBack) await held.rollback().execute()
  })
  return held
}

/** Locks that the statements take, until they are released or the test ends. */
export async function holdLocks(pool: Pool, ...statements: [text: string, values?: unknown[]][]) {
  const client = await pool.connect()
  let holding = true
  const release = async (): Promise<void> => {
    if (!holding) return
    holding = false
    await client.query('ROLLBACK')
    client.release()
  }
  onTestFinished(release)
  await client.query('BEGIN')
  for (const [text, values] of statements) await client.query(text, values)
  return { release }
}
