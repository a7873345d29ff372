import { type Db, fromKysely, PgBoss } from 'pg-boss'
import type { Kysely } from 'kysely'
import { MINUTE } from '../clock.ts'
import type { Database } from '../database/connection.ts'
import type { DB } from '../database/tables.ts'
import type { Logger } from '../logging/log.ts'

/** Durable jobs in the same database; any number of instances work on them together. */
export type Queue = PgBoss

/** The schema of its tables. */
export const JOBS_SCHEMA = 'jobs'

const STOP_TIMEOUT = MINUTE / 6

/** Opens the queue over the service's own connections; its tables are created and migrated at the first start. */
export async function openQueue(database: Database, log: Logger): Promise<Queue> {
  const boss = new PgBoss({ db: onPool(database), schema: JOBS_SCHEMA, persistWarnings: false })
  boss.on('error', (error) => log.warn({ err: error }, 'the job queue failed for a moment'))
  boss.on('warning', (warning) => log.debug({ warning }, 'the job queue warns'))
  await boss.start()
  return boss
}

/** Lets running jobs finish for a while; those that do not are done again by another instance. */
export async function closeQueue(queue: Queue): Promise<void> {
  await queue.stop({ graceful: true, timeout: STOP_TIMEOUT, close: false })
}

/** Makes a job part of a transaction: it exists when and only when the transaction is committed. */
export function inTransaction(trx: Kysely<DB>): { db: Db } {
  return { db: fromKysely(trx) }
}

function onPool({ pool }: Database): Db {
  return {
    // Without values several statements may stand in one text.
    executeSql: async (text, values) => pool.query(text, values),
  }
}
