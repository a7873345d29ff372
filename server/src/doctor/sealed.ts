import type { Dependencies } from '../services.ts'
import type { InstallationSecret } from '../secrets/installation-secret.ts'
import { countSealed, type SealedCount } from '../secrets/resealing.ts'
import { sealedPairwiseKey } from '../oauth/pairwise-key.ts'
import { sealedSigningKeys } from '../oauth/signing-keys.ts'
import { sealedSources } from '../sync/sealed-source.ts'
import { sealedWebhookSecrets } from '../webhooks/secrets.ts'

export type SealedDependencies = Pick<Dependencies, 'database' | 'random'> & { secret: InstallationSecret }

/** Counts all encrypted values by secret; with `reseal`, first encrypts them with the current secret. */
export async function countAllSealed(deps: SealedDependencies, { reseal = false } = {}): Promise<SealedCount[]> {
  const counts: SealedCount[] = []
  const stores = [sealedSigningKeys(deps), sealedPairwiseKey(deps), sealedWebhookSecrets(deps), sealedSources(deps)]
  for (const store of stores) counts.push(await countSealed(deps, store, { reseal }))
  return counts
}

/** The values that no known secret decrypts, such as "2 webhook secrets"; '' for an empty list. */
export const sayLost = (counts: readonly SealedCount[]): string =>
  counts
    .filter(({ lost }) => lost.length > 0)
    .map(({ name, lost }) => `${lost.length} ${lost.length === 1 ? name.replace(/s$/, '') : name}`)
    .join(', ')
