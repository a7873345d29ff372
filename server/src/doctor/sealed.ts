import type { Dependencies } from '../dependencies.ts'
import type { InstallationSecret } from '../secrets/installation-secret.ts'
import { countSealed, type SealedCount } from '../secrets/resealing.ts'
import { sealedSigningKeys } from '../oauth/signing-keys.ts'
import { sealedSources } from '../sync/sealed-source.ts'
import { sealedWebhookSecrets } from '../webhooks/secrets.ts'

export type SealedDependencies = Pick<Dependencies, 'database' | 'random'> & { secret: InstallationSecret }

/** How everything that stands sealed in the database is sealed; with `reseal`, under the secret of now afterwards. */
export async function countAllSealed(deps: SealedDependencies, reseal = false): Promise<SealedCount[]> {
  const counts: SealedCount[] = []
  for (const store of [sealedSigningKeys(deps), sealedWebhookSecrets(deps), sealedSources(deps)])
    counts.push(await countSealed(deps, store, { reseal }))
  return counts
}

/** What no secret of here opens, in words such as "2 webhook secrets"; '' when there is nothing of the kind. */
export const sayLost = (counts: readonly SealedCount[]): string =>
  counts
    .filter(({ lost }) => lost.length > 0)
    .map(({ name, lost }) => `${lost.length} ${lost.length === 1 ? name.replace(/s$/, '') : name}`)
    .join(', ')
