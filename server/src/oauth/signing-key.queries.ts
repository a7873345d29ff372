import type { JWK } from 'jose'
import type { Kysely } from 'kysely'
import type { DB } from '../database/tables.ts'

export interface StoredSigningKey {
  keyId: string
  publicKey: JWK
  /** Sealed under the installation's secret. */
  privateKey: Buffer
  createdAt: Date
}

/** Newest first. */
export async function listSigningKeys(kysely: Kysely<DB>): Promise<StoredSigningKey[]> {
  const rows = await kysely.selectFrom('signing_keys').selectAll().orderBy('created_at', 'desc').execute()
  return rows.map((row) => ({
    keyId: row.key_id,
    publicKey: row.public_key as JWK,
    privateKey: row.private_key,
    createdAt: row.created_at,
  }))
}

export async function insertSigningKey(kysely: Kysely<DB>, key: StoredSigningKey): Promise<void> {
  await kysely
    .insertInto('signing_keys')
    .values({
      key_id: key.keyId,
      public_key: JSON.stringify(key.publicKey),
      private_key: key.privateKey,
      created_at: key.createdAt,
    })
    .execute()
}

export async function deleteSigningKeysBefore(kysely: Kysely<DB>, createdBefore: Date): Promise<void> {
  await kysely.deleteFrom('signing_keys').where('created_at', '<', createdBefore).execute()
}
