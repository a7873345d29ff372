import {
  checkAttempts,
  clientFailuresByAddress,
  clientFailuresByApp,
  countAttempt,
  networkOf,
} from '../../identity/attempts.ts'
import { nowOf, type SignIn } from '../../identity/sign-in.ts'
import { type App, findAppWithSecrets } from '../app.queries.ts'
import type { ClientCredentials } from '../client-credentials.ts'
import { invalidClient, tooManyAttempts } from '../errors.ts'
import { equalHashes, hashOf, readCredential } from '../token-format.ts'

const nobodysHash = Buffer.alloc(32)

/**
 * The app that these credentials belong to, if it is approved. Unknown apps, wrong secrets and suspended apps get one answer,
 * after the same work. @throws OauthError invalid_client (401), too many attempts (429)
 */
export async function authenticateClient(signIn: SignIn, credentials: ClientCredentials, ip: string): Promise<App> {
  const network = networkOf(ip)
  const blocked = await checkAttempts(signIn, clientFailuresByAddress, network)
  if (blocked.exceeded) throw tooManyAttempts(blocked.retryAfter)
  const found = await findAppWithSecrets(signIn.database, credentials.clientId, nowOf(signIn))
  const offered = readCredential('secret', credentials.secret)?.hash ?? hashOf(credentials.secret)
  const hashes = found?.secretHashes.length ? found.secretHashes : [nobodysHash]
  const matches = hashes.filter((hash) => equalHashes(hash, offered)).length > 0
  if (found && matches && found.app.status === 'approved') return found.app
  const byAddress = await countAttempt(signIn, clientFailuresByAddress, network)
  if (byAddress.exceeded) throw tooManyAttempts(byAddress.retryAfter)
  if (found) {
    const byApp = await countAttempt(signIn, clientFailuresByApp, found.app.clientId)
    if (byApp.exceeded) throw tooManyAttempts(byApp.retryAfter)
  }
  throw invalidClient(found ? `app is ${found.app.status}, secret ${matches ? 'right' : 'wrong'}` : 'no such app')
}
