import { createPrivateKey, type KeyObject } from 'node:crypto'
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose'
import type { Transaction } from 'kysely'
import type { DB } from '../database/tables.ts'
import { SIGNING_KEY_LIFETIME, SIGNING_KEY_OVERLAP } from '../lifetimes.ts'
import type { SealedStore } from '../identity/resealing.ts'
import { seal, unseal } from '../identity/sealing.ts'
import { later, nowOf, type SignIn } from '../identity/sign-in.ts'
import {
  deleteOtherSigningKeys,
  insertSigningKey,
  listSigningKeys,
  newestSigningKey,
  replacePrivateKey,
  type StoredSigningKey,
} from './signing-key.queries.ts'

/** The algorithm that every OpenID Connect client can verify (OpenID Connect Core 15.1). */
export const SIGNING_ALGORITHM = 'RS256'

const PURPOSE = 'signing-keys'

/** The key that signs now: the newest, unless it is due for replacement or there is none yet. */
export async function currentSigningKey(signIn: SignIn): Promise<{ keyId: string; key: KeyObject }> {
  const newest = await newestSigningKey(signIn.database)
  const due = newest === undefined || nowOf(signIn) >= later(newest.createdAt, SIGNING_KEY_LIFETIME)
  const { keyId } = due ? await rotateSigningKey(signIn) : newest
  return { keyId, key: await openedKey(signIn, keyId) }
}

/** Private keys as they were opened; which of them signs is asked of the database every time. */
const opened = new WeakMap<SignIn, Map<string, Promise<KeyObject>>>()

function openedKey(signIn: SignIn, keyId: string): Promise<KeyObject> {
  const keys = opened.get(signIn) ?? new Map<string, Promise<KeyObject>>()
  opened.set(signIn, keys)
  const known = keys.get(keyId)
  if (known) return known
  const key = openKey(signIn, keyId)
  // The one that signs now is the only one that is asked for again.
  keys.clear()
  keys.set(keyId, key)
  key.catch(() => keys.delete(keyId))
  return key
}

async function openKey(signIn: SignIn, keyId: string): Promise<KeyObject> {
  const stored = (await listSigningKeys(signIn.database)).find((key) => key.keyId === keyId)
  if (!stored) throw new Error(`The signing key ${keyId} is gone`)
  return createPrivateKey({ key: JSON.parse(open(signIn, stored).toString('utf8')) as JWK, format: 'jwk' })
}

export interface Rotation {
  withdrawOthers?: boolean
  /** Records the rotation, in its transaction. */
  note?: (transaction: Transaction<DB>, keyId: string) => Promise<void>
}

/**
 * Makes a new key that signs from now on. The one before stays published until its last id_token has expired, unless all
 * others are withdrawn: then no id_token of before verifies any more.
 */
export async function rotateSigningKey(
  signIn: SignIn,
  { withdrawOthers = false, note }: Rotation = {},
): Promise<StoredSigningKey> {
  const { publicKey, privateKey } = await generateKeyPair(SIGNING_ALGORITHM, { extractable: true })
  const publicJwk = await exportJWK(publicKey)
  const keyId = await calculateJwkThumbprint(publicJwk)
  const plain = Buffer.from(JSON.stringify(await exportJWK(privateKey)))
  const sealed = seal(signIn.secret.key(PURPOSE), keyId, plain, signIn.random)
  const key = {
    keyId,
    publicKey: { ...publicJwk, kid: keyId, alg: SIGNING_ALGORITHM, use: 'sig' },
    privateKey: sealed,
    createdAt: nowOf(signIn),
  }
  await signIn.database.kysely.transaction().execute(async (trx) => {
    await insertSigningKey(trx, key)
    if (withdrawOthers) await deleteOtherSigningKeys(trx, keyId)
    await note?.(trx, keyId)
  })
  return key
}

/** The JWK set (RFC 7517): the key that signs and those that may still have to verify. Makes the first key. */
export async function publishedKeys(signIn: SignIn): Promise<{ keys: JWK[] }> {
  await currentSigningKey(signIn)
  const now = nowOf(signIn)
  const keys = withEnds(await listSigningKeys(signIn.database))
  return { keys: keys.filter(({ endsAt }) => endsAt === undefined || now < endsAt).map(({ publicKey }) => publicKey) }
}

/** Keys, the newest first, with the time until which each is published; the one that signs has none yet. */
export const withEnds = (keys: readonly StoredSigningKey[]): (StoredSigningKey & { endsAt: Date | undefined })[] =>
  keys.map((key, index) => {
    const next = keys[index - 1]
    return { ...key, endsAt: next && later(next.createdAt, SIGNING_KEY_OVERLAP) }
  })

/** The private keys, for whoever seals them anew. */
export function sealedSigningKeys({ database }: Pick<SignIn, 'database'>): SealedStore {
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

function open(signIn: Pick<SignIn, 'secret'>, { keyId, privateKey }: StoredSigningKey): Buffer {
  try {
    return unseal(signIn.secret.keys(PURPOSE), keyId, privateKey)
  } catch (error) {
    throw new Error(
      'The signing key was sealed under another secret: restore QUESTBOARD_SECRET or the file "secret" of the data folder',
      { cause: error },
    )
  }
}
