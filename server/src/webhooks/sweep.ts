import type { Kysely } from 'kysely'
import type { DB } from '../database/tables.ts'
import { WEBHOOK_LOG_LIFETIME } from '../lifetimes.ts'
import { deleteExpiredSecrets, deleteOldMessages } from './sweep.queries.ts'

const BATCH = 5_000

/**
 * Deletes messages whose retention has ended, with their attempts, and secrets that no longer sign.
 * @param now milliseconds since 1970
 * @returns the number of deleted messages and secrets
 */
export async function sweepWebhooks(kysely: Kysely<DB>, now: number): Promise<number> {
  let deleted = await deleteExpiredSecrets(kysely, new Date(now))
  for (;;) {
    const batch = await deleteOldMessages(kysely, new Date(now - WEBHOOK_LOG_LIFETIME), BATCH)
    deleted += batch
    if (batch < BATCH) return deleted
  }
}
