import { createHash } from 'node:crypto'
import type { Config } from '../../config.ts'
import type { IdentityScope } from '../../settings/scopes.ts'
import type { ProvenIdentity } from '../challenge-kind.ts'
import type { Redemption } from './oauth-client.ts'
import type { Services } from '../../services.ts'

/** Stored while the user is on the other site. */
export interface Attempt {
  /** PKCE (RFC 7636). */
  verifier: string
  /** OpenID Connect: the id_token must contain it. */
  nonce: string
}

export type Upstreams = Pick<Services, 'config' | 'outgoing' | 'log'>

/** An identity kind that is proved on another site: one file each. */
export interface RedirectKind {
  kind: IdentityScope
  label: string
  off(this: void, config: Config): string | undefined
  /** The expected `iss`, if the upstream sends one (RFC 9207). */
  issuer(config: Config): string
  /** The authorization URL; the caller adds `state`, `redirect_uri` and PKCE. @throws ApiError unavailable */
  authorizeUrl(services: Services): Promise<{ url: string; clientId: string; scope: string }>
  /** The token endpoint and client. @throws ApiError unsupported, unavailable */
  redemption(this: void, services: Upstreams): Promise<Redemption>
  /** @throws ApiError bad_signature, unavailable */
  identify(services: Services, answer: { code: string; redirectUri: string } & Attempt): Promise<ProvenIdentity>
}

export const challengeOf = (verifier: string) => createHash('sha256').update(verifier).digest('base64url')
