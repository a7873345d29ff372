import { createPrivateKey, type KeyObject } from 'node:crypto'
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose'
import type { Transaction } from 'kysely'
import type { DB } from '../database/tables.ts'
import { SIGNING_KEY_LIFETIME, SIGNING_KEY_OVERLAP } from '../lifetimes.ts'
import type { SealedStore } from '../secrets/resealing.ts'
import { seal, unseal } from '../secrets/sealing.ts'
import { later, nowOf, type Services } from '../services.ts'
import {
  deleteOtherSigningKeys,
  insertSigningKey,
  listSigningKeys,
  newestSigningKey,
  replacePrivateKey,
  type StoredSigningKey,
} from './signing-key.queries.ts'

/** The algorithm that all OpenID Connect clients support (OpenID Connect Core 15.1). */
export const SIGNING_ALGORITHM = 'RS256'

const PURPOSE = 'signing-keys'

/** The newest key; creates one if none exists or the newest is due for rotation. */
export async function currentSigningKey(services: Services): Promise<{ keyId: string; key: KeyObject }> {
  const newest = await newestSigningKey(services.database)
  const due = newest === undefined || nowOf(services) >= later(newest.createdAt, SIGNING_KEY_LIFETIME)
  const { keyId } = due ? await rotateSigningKey(services) : newest
  return { keyId, key: await openedKey(services, keyId) }
}

/** Caches decrypted private keys. The current key id is read from the database each time. */
const opened = new WeakMap<Services, Map<string, Promise<KeyObject>>>()

function openedKey(services: Services, keyId: string): Promise<KeyObject> {
  const keys = opened.get(services) ?? new Map<string, Promise<KeyObject>>()
  opened.set(services, keys)
  const known = keys.get(keyId)
  if (known) return known
  const key = openKey(services, keyId)
  // Only the current key is used again.
  keys.clear()
  keys.set(keyId, key)
  key.catch(() => keys.delete(keyId))
  return key
}

async function openKey(services: Services, keyId: string): Promise<KeyObject> {
  const stored = (await listSigningKeys(services.database)).find((key) => key.keyId === keyId)
  if (!stored) throw new Error(`The signing key ${keyId} is gone`)
  return createPrivateKey({ key: JSON.parse(open(services, stored).toString('utf8')) as JWK, format: 'jwk' })
}

export interface Rotation {
  withdrawOthers?: boolean
  /** Records the rotation in the same transaction. */
  note?: (transaction: Transaction<DB>, keyId: string) => Promise<void>
}

/**
 * Creates a key that signs from now on. The previous key stays published until its last id_token has expired. With
 * `withdrawOthers`, all other keys are removed and their id_tokens become invalid.
 */
export async function rotateSigningKey(
  services: Services,
  { withdrawOthers = false, note }: Rotation = {},
): Promise<StoredSigningKey> {
  const { publicKey, privateKey } = await generateKeyPair(SIGNING_ALGORITHM, { extractable: true })
  const publicJwk = await exportJWK(publicKey)
  const keyId = await calculateJwkThumbprint(publicJwk)
  const plain = Buffer.from(JSON.stringify(await exportJWK(privateKey)))
  const sealed = seal(services.secret.key(PURPOSE), keyId, plain, services.random)
  const key = {
    keyId,
    publicKey: { ...publicJwk, kid: keyId, alg: SIGNING_ALGORITHM, use: 'sig' },
    privateKey: sealed,
    createdAt: nowOf(services),
  }
  await services.database.kysely.transaction().execute(async (trx) => {
    await insertSigningKey(trx, key)
    if (withdrawOthers) await deleteOtherSigningKeys(trx, keyId)
    await note?.(trx, keyId)
  })
  return key
}

/** The JWK set (RFC 7517): the current key and older keys whose id_tokens may be valid. Creates the first key. */
export async function publishedKeys(services: Services): Promise<{ keys: JWK[] }> {
  await currentSigningKey(services)
  const now = nowOf(services)
  const keys = withEnds(await listSigningKeys(services.database))
  return { keys: keys.filter(({ endsAt }) => endsAt === undefined || now < endsAt).map(({ publicKey }) => publicKey) }
}

/** Keys, newest first, with the end of their publication; undefined for the current key. */
export const withEnds = (keys: readonly StoredSigningKey[]): (StoredSigningKey & { endsAt: Date | undefined })[] =>
  keys.map((key, index) => {
    const next = keys[index - 1]
    return { ...key, endsAt: next && later(next.createdAt, SIGNING_KEY_OVERLAP) }
  })

/** The private keys, for rotation of the installation secret. */
export function sealedSigningKeys({ database }: Pick<Services, 'database'>): SealedStore {
  return {
    name: 'signing keys',
    purpose: PURPOSE,
    async list() {
      const keys = await listSigningKeys(database)
      return keys.map(({ keyId, privateKey }) => ({
        name: keyId,
        label: keyId,
        sealed: privateKey,
        replace: (sealed) => replacePrivateKey(database.kysely, keyId, privateKey, sealed),
      }))
    },
  }
}

function open(services: Pick<Services, 'secret'>, { keyId, privateKey }: StoredSigningKey): Buffer {
  try {
    return unseal(services.secret.keys(PURPOSE), keyId, privateKey)
  } catch (error) {
    throw new Error(
      'The signing key was encrypted with another secret: restore QUESTBOARD_SECRET or the file "secret" in the data folder',
      { cause: error },
    )
  }
}
