import type { Database } from '../database/connection.ts'
import type { InstallationSecret } from '../secrets/installation-secret.ts'
import type { SealedStore } from '../secrets/resealing.ts'
import { seal, unseal } from '../secrets/sealing.ts'
import type { Random } from '../random.ts'
import { listSecrets, replaceSecret } from './endpoints.queries.ts'

/** Standard Webhooks asks for 24 to 64 bytes. */
const SECRET_BYTES = 32
const PREFIX = 'whsec_'
const PURPOSE = 'webhooks'

/** A secret as the receiver keeps it: `whsec_` and base64. */
export function newSecret(random: Random): string {
  return PREFIX + random.bytes(SECRET_BYTES).toString('base64')
}

/** The bytes of a secret, which sign messages. */
export const keyOf = (secret: string): Buffer => Buffer.from(secret.slice(PREFIX.length), 'base64')

const label = (endpointId: string, secretId: string) => `webhook ${endpointId} ${secretId}`

export interface SealingDependencies {
  secret: InstallationSecret
  random: Random
}

export function sealSecret(deps: SealingDependencies, endpointId: string, secretId: string, secret: string): Buffer {
  return seal(deps.secret.key(PURPOSE), label(endpointId, secretId), Buffer.from(secret), deps.random)
}

/** @throws with a message for the operator if another installation secret encrypted it */
export function openSecret(
  installation: InstallationSecret,
  { endpointId, secretId, sealed }: { endpointId: string; secretId: string; sealed: Buffer },
): string {
  try {
    return unseal(installation.keys(PURPOSE), label(endpointId, secretId), sealed).toString()
  } catch (error) {
    throw new Error('the secret was encrypted with another QUESTBOARD_SECRET; rotate it, or restore that setting', {
      cause: error,
    })
  }
}

/** The secrets of all endpoints, for sealing them again. */
export function sealedWebhookSecrets({ database }: { database: Pick<Database, 'kysely'> }): SealedStore {
  return {
    name: 'webhook secrets',
    purpose: PURPOSE,
    async list() {
      const secrets = await listSecrets(database.kysely)
      return secrets.map(({ endpointId, secretId, sealed }) => ({
        name: `${secretId} of the webhook ${endpointId}`,
        label: label(endpointId, secretId),
        sealed,
        replace: (anew) => replaceSecret(database.kysely, { endpointId, secretId, sealed }, anew),
      }))
    },
  }
}
