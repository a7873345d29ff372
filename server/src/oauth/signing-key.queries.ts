import type { JWK } from 'jose'
import type { Kysely } from 'kysely'
import type { Database } from '../database/connection.ts'
import { statement, sharedLookup } from '@questboard/pg-read-pipeline'
import type { DB } from '../database/tables.ts'

export interface StoredSigningKey {
  keyId: string
  publicKey: JWK
  /** Encrypted with the installation secret. */
  privateKey: Buffer
  createdAt: Date
}

const allKeys = statement<{ key_id: string; public_key: JWK; private_key: Buffer; created_at: Date }>(
  'oauth.signing-keys',
  'SELECT key_id, public_key, private_key, created_at FROM signing_keys ORDER BY created_at DESC, key_id',
)

const newestKey = statement<{ key_id: string; created_at: Date }>(
  'oauth.newest-signing-key',
  'SELECT key_id, created_at FROM signing_keys ORDER BY created_at DESC, key_id LIMIT 1',
)

const newest = sharedLookup<'newest', Pick<StoredSigningKey, 'keyId' | 'createdAt'>>(String, async (reader) => {
  const [row] = await reader.read(newestKey, [])
  return new Map(row && [['newest', { keyId: row.key_id, createdAt: row.created_at }]])
})

/** The current signing key without its private key. */
export function newestSigningKey(
  database: Database,
): Promise<Pick<StoredSigningKey, 'keyId' | 'createdAt'> | undefined> {
  return newest(database, 'newest')
}

/** Newest first. */
export async function listSigningKeys(database: Database): Promise<StoredSigningKey[]> {
  const rows = await database.read(allKeys, [])
  return rows.map((row) => ({
    keyId: row.key_id,
    publicKey: row.public_key,
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

export async function deleteOtherSigningKeys(kysely: Kysely<DB>, keyId: string): Promise<void> {
  await kysely.deleteFrom('signing_keys').where('key_id', '<>', keyId).execute()
}

export async function replacePrivateKey(kysely: Kysely<DB>, keyId: string, old: Buffer, sealed: Buffer): Promise<void> {
  await kysely
    .updateTable('signing_keys')
    .set({ private_key: sealed })
    .where('key_id', '=', keyId)
    .where('private_key', '=', old)
    .execute()
}
