import type { Kysely } from 'kysely'
import type { DB } from '../database/tables.ts'

export interface Passkey {
  passkeyId: string
  accountId: string
  publicKey: Buffer
  signCount: number
  transports: string[]
  createdAt: Date
  lastUsedAt: Date | null
}

export async function findPasskey(kysely: Kysely<DB>, passkeyId: string): Promise<Passkey | undefined> {
  const row = await kysely.selectFrom('passkeys').selectAll().where('passkey_id', '=', passkeyId).executeTakeFirst()
  return (
    row && {
      passkeyId: row.passkey_id,
      accountId: row.account_id,
      publicKey: row.public_key,
      signCount: row.sign_count,
      transports: row.transports,
      createdAt: row.created_at,
      lastUsedAt: row.last_used_at,
    }
  )
}

/** Returns false if a passkey with this id exists. */
export async function insertPasskey(kysely: Kysely<DB>, passkey: Omit<Passkey, 'lastUsedAt'>): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await kysely
    .insertInto('passkeys')
    .values({
      passkey_id: passkey.passkeyId,
      account_id: passkey.accountId,
      public_key: passkey.publicKey,
      sign_count: passkey.signCount,
      transports: passkey.transports,
      created_at: passkey.createdAt,
    })
    .onConflict((conflict) => conflict.column('passkey_id').doNothing())
    .executeTakeFirstOrThrow()
  return numInsertedOrUpdatedRows === 1n
}

export async function notePasskeyUse(
  kysely: Kysely<DB>,
  passkeyId: string,
  signCount: number,
  now: Date,
): Promise<void> {
  await kysely
    .updateTable('passkeys')
    .set({ sign_count: signCount, last_used_at: now })
    .where('passkey_id', '=', passkeyId)
    .execute()
}

export async function listPasskeys(
  kysely: Kysely<DB>,
  accountId: string,
): Promise<Pick<Passkey, 'passkeyId' | 'transports' | 'createdAt' | 'lastUsedAt'>[]> {
  const rows = await kysely
    .selectFrom('passkeys')
    .select(['passkey_id', 'transports', 'created_at', 'last_used_at'])
    .where('account_id', '=', accountId)
    .orderBy('created_at')
    .execute()
  return rows.map((row) => ({
    passkeyId: row.passkey_id,
    transports: row.transports,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
  }))
}

export async function deletePasskey(kysely: Kysely<DB>, accountId: string, passkeyId: string): Promise<boolean> {
  const { numDeletedRows } = await kysely
    .deleteFrom('passkeys')
    .where('account_id', '=', accountId)
    .where('passkey_id', '=', passkeyId)
    .executeTakeFirstOrThrow()
  return numDeletedRows === 1n
}
