import { LAST_USED_RESOLUTION } from '../../lifetimes.ts'
import { nowOf, type Services } from '../../services.ts'
import { grantId, type Subject } from '../access-log.ts'
import { invalidToken } from '../errors.ts'
import { isHostAllowed } from '../client-metadata/client-url.ts'
import { findLiveToken, type LiveToken, noteUse } from '../live-token.queries.ts'
import { copyOf, createRecent } from '../../cache/recent-cache.ts'
import { type CredentialKey, readCredential } from '../../secrets/oauth-token-format.ts'

/** Caches the parsed keys of tokens, because an app may send the same token many times. */
const MAX_CACHED_TOKENS = 10_000
const known = createRecent<CredentialKey>(MAX_CACHED_TOKENS, () => 1)

/**
 * Requires a valid access token for a resource and records its use.
 * @param resource null for the user's data
 * @param subject receives the grant and app for the log
 * @throws OauthError invalid_token (401)
 */
export async function requireLiveToken(
  services: Services,
  value: string,
  subject: Subject,
  resource: string | null = null,
): Promise<LiveToken> {
  const before = known.get(value)
  const key = before ?? readCredential('access', value)
  if (!key) throw invalidToken('not an access token')
  subject.grant_id = grantId(key.family)
  const now = nowOf(services)
  const token = await findLiveToken(services.database, 'access', key, now)
  if (!token) throw invalidToken('token unknown, expired or revoked')
  subject.client_id = token.clientId
  if (!isHostAllowed(services, token)) throw invalidToken('the operator allows no clients of this host')
  if (token.resource !== resource) throw invalidToken('token of another resource')
  if (!before) known.set(copyOf(value), key)
  if (now.getTime() - token.lastUsedAt.getTime() >= LAST_USED_RESOLUTION)
    await noteUse(services.database, key.family, now)
  return token
}
