import { type Kysely, type KyselyPlugin, sql } from 'kysely'
import { SECOND } from '../clock.ts'
import { LOCK_NOT_AVAILABLE } from '../database/sql-states.ts'
import type { DB } from '../database/tables.ts'

/** Background work that meets a lock waits so long, and then until it is due again. */
const LOCK_WAIT = SECOND

/**
 * Runs work on a dedicated connection that can be aborted between its statements. After an abort, no further statement
 * begins, and no statement waits longer than a second for a lock.
 * @returns undefined if a lock was held for longer
 * @throws AbortError
 */
export async function interruptible<T>(
  kysely: Kysely<DB>,
  signal: AbortSignal,
  work: (own: Kysely<DB>) => Promise<T>,
): Promise<T | undefined> {
  return kysely.connection().execute(async (own) => {
    await sql`SELECT set_config('lock_timeout', ${String(LOCK_WAIT)}, false)`.execute(own)
    try {
      return await work(own.withPlugin(endsWith(signal)))
    } catch (error) {
      if ((error as { code?: unknown }).code === LOCK_NOT_AVAILABLE) return undefined
      throw error
    } finally {
      await sql`RESET lock_timeout`.execute(own)
    }
  })
}

function endsWith(signal: AbortSignal): KyselyPlugin {
  return {
    transformQuery({ node }) {
      signal.throwIfAborted()
      return node
    },
    transformResult: ({ result }) => Promise.resolve(result),
  }
}
