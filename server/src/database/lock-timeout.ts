import type { Kysely } from 'kysely'
import { localSettings, setLocally } from './set-locally.ts'
import type { DB } from './tables.ts'

const setting = (milliseconds: number) => ({ lock_timeout: String(Math.round(milliseconds)) })

/** The statements that limit lock waits of a transaction. */
export const lockTimeout = (milliseconds: number) => localSettings(setting(milliseconds))

/** Limits each lock wait of the rest of the transaction, on all nodes. */
export async function limitLockWait(trx: Kysely<DB>, milliseconds: number): Promise<void> {
  await setLocally(trx, setting(milliseconds))
}
