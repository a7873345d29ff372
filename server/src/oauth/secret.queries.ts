import type { Kysely, Transaction } from 'kysely'
import type { DB } from '../database/tables.ts'

export interface SecretRecord {
  secretId: string
  createdAt: Date
  expiresAt: Date | null
}

/** The secrets that are valid at `now`, newest first. */
export async function listSecrets(kysely: Kysely<DB>, clientId: string, now: Date): Promise<SecretRecord[]> {
  const rows = await kysely
    .selectFrom('app_secrets')
    .select(['secret_id', 'created_at', 'expires_at'])
    .where('client_id', '=', clientId)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
    .orderBy('created_at', 'desc')
    .execute()
  return rows.map((row) => ({ secretId: row.secret_id, createdAt: row.created_at, expiresAt: row.expires_at }))
}

/**
 * Adds a secret. The current secret stays valid until `oldExpiresAt` and older ones end now, so at most two are valid.
 * Holds the lock of the app. Returns false if no app with a server has this id.
 */
export async function rotateSecret(
  transaction: Transaction<DB>,
  secret: { clientId: string; secretId: string; hash: Buffer; now: Date; oldExpiresAt: Date },
): Promise<boolean> {
  const app = await transaction
    .selectFrom('apps')
    .select('client_id')
    .where('client_id', '=', secret.clientId)
    .where('public_client', '=', false)
    .forUpdate()
    .executeTakeFirst()
  if (!app) return false
  await transaction
    .deleteFrom('app_secrets')
    .where('client_id', '=', secret.clientId)
    .where('expires_at', 'is not', null)
    .execute()
  await transaction
    .updateTable('app_secrets')
    .set({ expires_at: secret.oldExpiresAt })
    .where('client_id', '=', secret.clientId)
    .execute()
  await transaction
    .insertInto('app_secrets')
    .values({
      client_id: secret.clientId,
      secret_id: secret.secretId,
      secret_hash: secret.hash,
      created_at: secret.now,
    })
    .execute()
  return true
}

export async function deleteSecret(kysely: Kysely<DB>, clientId: string, secretId: string): Promise<boolean> {
  const { numDeletedRows } = await kysely
    .deleteFrom('app_secrets')
    .where('client_id', '=', clientId)
    .where('secret_id', '=', secretId)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

export async function deleteSecrets(transaction: Transaction<DB>, clientId: string): Promise<void> {
  await transaction.deleteFrom('app_secrets').where('client_id', '=', clientId).execute()
}
