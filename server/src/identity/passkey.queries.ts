import type { Kysely } from 'kysely'
import type { DB } from '../database/tables.ts'

export interface Passkey {
  credentialId: string
  accountId: string
  publicKey: Buffer
  signCount: number
  transports: string[]
  createdAt: Date
  lastUsedAt: Date | null
}

export async function findPasskey(kysely: Kysely<DB>, credentialId: string): Promise<Passkey | undefined> {
  const row = await kysely.selectFrom('passkeys').selectAll().where('passkey_id', '=', credentialId).executeTakeFirst()
  return (
    row && {
      credentialId: row.passkey_id,
      accountId: row.account_id,
      publicKey: row.public_key,
      signCount: row.sign_count,
      transports: row.transports,
      createdAt: row.created_at,
      lastUsedAt: row.last_used_at,
    }
  )
}

/** Returns false if the credential already exists. */
export async function insertPasskey(kysely: Kysely<DB>, passkey: Omit<Passkey, 'lastUsedAt'>): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await kysely
    .insertInto('passkeys')
    .values({
      passkey_id: passkey.credentialId,
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
  credentialId: string,
  signCount: number,
  now: Date,
): Promise<void> {
  await kysely
    .updateTable('passkeys')
    .set({ sign_count: signCount, last_used_at: now })
    .where('passkey_id', '=', credentialId)
    .execute()
}

export async function listPasskeys(
  kysely: Kysely<DB>,
  accountId: string,
): Promise<Pick<Passkey, 'credentialId' | 'transports' | 'createdAt' | 'lastUsedAt'>[]> {
  const rows = await kysely
    .selectFrom('passkeys')
    .select(['passkey_id', 'transports', 'created_at', 'last_used_at'])
    .where('account_id', '=', accountId)
    .orderBy('created_at')
    .execute()
  return rows.map((row) => ({
    credentialId: row.passkey_id,
    transports: row.transports,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
  }))
}

export async function deletePasskey(kysely: Kysely<DB>, accountId: string, credentialId: string): Promise<boolean> {
  const { numDeletedRows } = await kysely
    .deleteFrom('passkeys')
    .where('account_id', '=', accountId)
    .where('passkey_id', '=', credentialId)
    .executeTakeFirstOrThrow()
  return numDeletedRows === 1n
}
