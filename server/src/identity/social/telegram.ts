import { createLocalJWKSet, errors, jwtVerify } from 'jose'
import { z } from 'zod'
import { MINUTE, SECOND } from '../../clock.ts'
import { requestUpstream, upstreamUnavailable } from '../request-upstream.ts'
import { identityError } from '../identity-error.ts'
import type { Services } from '../../services.ts'
import { redeemUpstreamCode, type Redemption, requireClient } from './oauth-client.ts'
import type { RedirectKind, Upstreams } from './redirect-kind.ts'
import { whyOff } from '../../settings/social-settings.ts'
import { upstreamNameShape } from './upstream-name.ts'

const name = 'Telegram'
const CLOCK_TOLERANCE_SECONDS = 30
/** A discovery result or a failure is cached for this time. */
const DISCOVERY_LIFETIME = 5 * MINUTE
const FAILED_DISCOVERY_LIFETIME = 5 * SECOND

const providerShape = z.object({
  issuer: z.string(),
  authorization_endpoint: z.url({ protocol: /^https?$/ }),
  token_endpoint: z.url({ protocol: /^https?$/ }),
  jwks_uri: z.url({ protocol: /^https?$/ }),
})
type Provider = z.infer<typeof providerShape>
const keysShape = z.object({ keys: z.array(z.looseObject({ kty: z.string() })).max(20) })
/**
 * `id` is the Telegram user id; `sub` is another number. The claim `name` is not read, because a user can set it to
 * another user's username.
 */
const claimsShape = z.object({
  id: z.union([z.number().int().positive(), z.string().regex(/^[1-9]\d{0,19}$/)]).transform(String),
  nonce: z.string(),
  preferred_username: upstreamNameShape.optional(),
})

/** OpenID Connect (core.telegram.org/bots/telegram-login). */
export const telegram: RedirectKind = {
  kind: 'Telegram',
  label: 'Telegram',
  off: ({ identity }) => whyOff(identity.unset.telegram),
  issuer: ({ identity }) => identity.telegram.issuer,
  async authorizeUrl(services) {
    const provider = await recentProvider(services)
    const { clientId } = requireClient(services.config.identity.telegram.client, name)
    return { url: provider.authorization_endpoint, clientId, scope: 'openid profile' }
  },
  redemption: async (services) => atProvider(services, await discover(services)),
  async identify(services, answer) {
    const provider = await recentProvider(services)
    const at = atProvider(services, provider)
    const { id_token: idToken } = await redeemUpstreamCode(services, { ...answer, ...at })
    if (idToken === undefined) throw upstreamUnavailable(name)
    const claims = await verifyIdToken(services, provider, idToken, at.client.clientId)
    if (claims.nonce !== answer.nonce) throw refusedToken()
    return { subject: claims.id, username: claims.preferred_username ?? null }
  },
}

function atProvider({ config }: Upstreams, provider: Provider): Redemption {
  const client = requireClient(config.identity.telegram.client, name)
  return { name, tokenUrl: provider.token_endpoint, client, secretIn: 'basic' }
}

/** The last or pending discovery. */
const found = new WeakMap<Services, { provider: Promise<Provider>; until: number }>()

/** Cached, because any page can make its visitors start a sign-in. @throws ApiError unavailable */
function recentProvider(services: Services): Promise<Provider> {
  const last = found.get(services)
  if (last && services.clock.now() < last.until) return last.provider
  const provider = discover(services)
  const entry = { provider, until: services.clock.now() + DISCOVERY_LIFETIME }
  found.set(services, entry)
  provider.catch(() => (entry.until = services.clock.now() + FAILED_DISCOVERY_LIFETIME))
  return provider
}

/** OpenID Connect discovery. Each endpoint must be on the host that the operator configured. */
async function discover(services: Upstreams): Promise<Provider> {
  const { issuer } = services.config.identity.telegram
  const { status, json } = await requestUpstream(services, name, { url: `${issuer}/.well-known/openid-configuration` })
  const provider = status === 200 ? providerShape.safeParse(json).data : undefined
  const { origin } = new URL(issuer)
  const endpoints = provider && [provider.authorization_endpoint, provider.token_endpoint, provider.jwks_uri]
  if (!provider || provider.issuer !== issuer || !endpoints?.every((url) => new URL(url).origin === origin))
    throw upstreamUnavailable(name)
  return provider
}

/** The key must be published by the provider, and the token must be issued for our client and not expired. */
async function verifyIdToken(
  services: Services,
  provider: Provider,
  idToken: string,
  clientId: string,
): Promise<z.infer<typeof claimsShape>> {
  const { status, json } = await requestUpstream(services, name, { url: provider.jwks_uri })
  const published = status === 200 ? keysShape.safeParse(json).data : undefined
  if (!published) throw upstreamUnavailable(name)
  try {
    const { payload } = await jwtVerify(idToken, createLocalJWKSet(published), {
      issuer: provider.issuer,
      audience: clientId,
      algorithms: ['RS256', 'ES256', 'EdDSA'],
      requiredClaims: ['exp', 'iat'],
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      currentDate: new Date(services.clock.now()),
    })
    if (typeof payload.aud !== 'string') throw refusedToken()
    const claims = claimsShape.safeParse(payload)
    if (!claims.success) throw refusedToken()
    return claims.data
  } catch (error) {
    if (!(error instanceof errors.JOSEError || error instanceof TypeError)) throw error
    // Do not log the error itself, which contains the payload.
    const { code, claim } = error as { code?: string; claim?: string }
    services.log.warn({ upstream: name, code, claim }, 'an id_token was refused')
    throw refusedToken()
  }
}

const refusedToken = () => identityError('bad_signature', 'Telegram did not prove who you are; start again')
