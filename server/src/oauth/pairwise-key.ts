import { findInstallationValue, installationValue, replaceInstallationValue } from '../database/installation.queries.ts'
import type { SealedStore } from '../secrets/resealing.ts'
import { seal, unseal } from '../secrets/sealing.ts'
import type { Services } from '../services.ts'

const NAME = 'pairwise_key'
const PURPOSE = 'pairwise-subjects'
const KEY_BYTES = 32

const opened = new WeakMap<Services, Promise<Buffer>>()

/**
 * The key of pairwise subjects. It is stored encrypted, not derived from the installation secret, because the subjects must
 * stay the same when the secret is replaced.
 */
export function pairwiseKey(services: Services): Promise<Buffer> {
  const known = opened.get(services)
  if (known) return known
  const key = openKey(services)
  opened.set(services, key)
  key.catch(() => opened.delete(services))
  return key
}

async function openKey({ database, secret, random }: Services): Promise<Buffer> {
  const make = () => seal(secret.key(PURPOSE), NAME, random.bytes(KEY_BYTES), random).toString('base64')
  const sealed = await installationValue(database.kysely, NAME, make)
  try {
    return unseal(secret.keys(PURPOSE), NAME, Buffer.from(sealed, 'base64'))
  } catch (error) {
    throw new Error(
      'The key of pairwise subjects was encrypted with another secret: restore QUESTBOARD_SECRET or the file "secret" in the data folder',
      { cause: error },
    )
  }
}

/** The key, for rotation of the installation secret. */
export function sealedPairwiseKey({ database }: Pick<Services, 'database'>): SealedStore {
  return {
    name: 'pairwise keys',
    purpose: PURPOSE,
    async list() {
      const value = await findInstallationValue(database.kysely, NAME)
      if (value === undefined) return []
      const replace = (sealed: Buffer) =>
        replaceInstallationValue(database.kysely, NAME, value, sealed.toString('base64'))
      return [{ name: NAME, label: NAME, sealed: Buffer.from(value, 'base64'), replace }]
    },
  }
}
