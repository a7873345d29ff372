import { createHash } from 'node:crypto'
import type { Config } from '../../config.ts'
import type { IdentityScope } from '../scopes.ts'
import type { ProvenIdentity } from '../kinds.ts'
import type { Redemption } from './oauth-client.ts'
import type { Services } from '../../services.ts'

/** What stays here while the user is away. */
export interface Attempt {
  /** RFC 7636: only who began this attempt can redeem its code. */
  verifier: string
  /** OpenID Connect: the id_token must carry it. */
  nonce: string
}

/** What it takes to ask an upstream. */
export type Upstreams = Pick<Services, 'config' | 'outgoing' | 'log'>

/** An identity kind that is proved on another site: one file each. */
export interface RedirectKind {
  kind: IdentityScope
  label: string
  off(this: void, config: Config): string | undefined
  /** RFC 9207: what `iss` must be where the upstream sends one. */
  issuer(config: Config): string
  /** Where the browser goes; `state`, `redirect_uri` and PKCE are added. @throws ApiError unavailable */
  authorizeUrl(services: Services): Promise<{ url: string; clientId: string; scope: string }>
  /** Where and as whom codes are redeemed. @throws ApiError unsupported, unavailable */
  redemption(this: void, services: Upstreams): Promise<Redemption>
  /** @throws ApiError bad_signature, unavailable */
  identify(services: Services, answer: { code: string; redirectUri: string } & Attempt): Promise<ProvenIdentity>
}

export const challengeOf = (verifier: string) => createHash('sha256').update(verifier).digest('base64url')
