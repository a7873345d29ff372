import { clientFailuresByNetwork, clientFailuresByApp } from '../../rate-limits/limits.ts'
import { checkAttempts, countAttempt } from '../../rate-limits/fixed-window.ts'
import { audit } from '../../audit/audit.ts'
import { nowOf, type Services } from '../../services.ts'
import { type App, findAppWithSecrets } from '../app.queries.ts'
import { isHostAllowed } from '../client-metadata/client-url.ts'
import type { ClientCredentials } from '../client-credentials.ts'
import { invalidClient, tooManyAttempts } from '../errors.ts'
import { equalHashes, hashOf } from '../../secrets/hashes.ts'
import { readCredential } from '../../secrets/oauth-token-format.ts'

const dummyHash = Buffer.alloc(32)

export interface ClientRules {
  /** Whether an app without a server may call the endpoint; it has no secret (token_endpoint_auth_method `none`). */
  publicClients: boolean
  /** Called for an approved app without a server, even if its request is then refused. */
  found?: (app: App) => void
}

/**
 * Authenticates an approved app. Unknown apps, wrong secrets and suspended apps get the same response after the same
 * work.
 * @throws OauthError invalid_client (401), too many attempts (429)
 */
export async function authenticateClient(
  services: Services,
  credentials: ClientCredentials,
  network: string,
  rules: ClientRules,
): Promise<App> {
  const [blocked, found] = await Promise.all([
    checkAttempts(services, clientFailuresByNetwork, network),
    findAppWithSecrets(services.database, credentials.clientId, nowOf(services)),
  ])
  if (found?.app.publicClient && found.app.status === 'approved' && isHostAllowed(services, found.app))
    return acceptPublic(found.app, credentials, rules)
  if (credentials.secret === undefined) throw invalidClient('no client secret')
  const offered = readCredential('secret', credentials.secret)?.hash ?? hashOf(credentials.secret)
  const hashes = found?.secretHashes.length ? found.secretHashes : [dummyHash]
  const matches = hashes.filter((hash) => equalHashes(hash, offered)).length > 0
  // The secret is checked before the limits, so that others in the network do not block an app with the correct secret.
  if (found && matches && found.app.status === 'approved') return found.app
  if (blocked.exceeded) throw tooManyAttempts(blocked.retryAfter)
  await countFailure(services, credentials.clientId, found?.app, network)
  throw invalidClient(found ? `app is ${found.app.status}, secret ${matches ? 'right' : 'wrong'}` : 'no such app')
}

/** The client_id is public, so the response can explain the problem. @throws OauthError invalid_client */
function acceptPublic(app: App, { secret }: ClientCredentials, { publicClients, found }: ClientRules): App {
  found?.(app)
  if (secret !== undefined)
    throw invalidClient('a secret for an app without a server', 'This app has no secret; send its client_id only')
  if (!publicClients) throw invalidClient('an app without a server', 'Apps without a server cannot use this endpoint')
  return app
}

/** Counts unknown apps too, so that the response time does not reveal whether an app exists. */
async function countFailure(
  services: Services,
  clientId: string,
  app: App | undefined,
  network: string,
): Promise<void> {
  // Hashed, because an unknown client_id may be any text.
  const name = hashOf(clientId).toString('base64url')
  const [byAddress, byApp] = await Promise.all([
    countAttempt(services, clientFailuresByNetwork, network),
    services.database.kysely.transaction().execute(async (kysely) => {
      const count = await countAttempt({ ...services, database: { kysely } }, clientFailuresByApp, name)
      if (count.firstBeyond && app) {
        const { ownerAccountId: accountId, clientId } = app
        await audit(services, { accountId, event: 'app.secret-guessed', clientId, network }, kysely)
      }
      return count
    }),
  ])
  if (byAddress.exceeded) throw tooManyAttempts(byAddress.retryAfter)
  if (byApp.exceeded) throw tooManyAttempts(byApp.retryAfter)
}
