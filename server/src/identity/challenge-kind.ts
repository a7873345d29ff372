import type { Config } from '../config.ts'
import type { Services } from '../services.ts'
import type { IdentityScope } from '../settings/scopes.ts'
import type { Site } from '../settings/site.ts'
import type { Purpose } from './challenge.queries.ts'

export interface ChallengeContext {
  services: Services
  site: Site
  nonce: string
  issuedAt: Date
  expiresAt: Date
  purpose: Purpose
  /** The network of the client, for rate limits. */
  network: string
  /**
   * Returns an identifier of this browser if the browser has proved this subject before. The browser then has its own
   * rate limits, which other browsers cannot use up.
   */
  knownBrowser: (subject: string) => Promise<string | undefined>
  /** The account to link to, for purpose `link`. */
  accountId: string | undefined
  /** Returns the sentence that the wallet shows. The sentence names the platform, the purpose and the kind. */
  statement: (kind: string) => string
}

export interface ChallengeInput {
  address?: string | undefined
  chainId?: number | undefined
}

export interface ProvenIdentity {
  /** The immutable, canonical id. */
  subject: string
  /** The display name; may change. */
  username: string | null
  /** Other addresses of the same key that boards and holder lists may use. */
  aliases?: readonly string[]
  /** The EVM chain of a contract wallet. On another chain, the same address may have another owner. */
  boundChainId?: number
}

export interface Verified {
  /** Absent for a passkey, which proves an account directly. `accountId` or `newAccountId` is then set. */
  identity?: ProvenIdentity
  /** The account of a known passkey. */
  accountId?: string
  /** The passkey, known or new. */
  passkeyId?: string
  /** Set if this browser becomes a known browser of the subject (known-browser.ts). */
  remember?: true
  /** Stores the new passkey in the transaction that signs in or links. */
  attach?: (kysely: Services['database']['kysely'], accountId: string) => Promise<void>
  /** The ID of the account to create. The new passkey was created for this ID. */
  newAccountId?: string
}

/** An identity kind that the browser proves with a challenge. Each kind has its own file. */
export interface ChallengeKind {
  kind: IdentityScope
  label: string
  /** The reason why the kind is off with this configuration, or undefined if it is on. */
  off?: (config: Config) => string | undefined
  /** The method of the proof in the page, and the inputs that the page sends for a challenge. */
  browser: {
    way: 'wallet' | 'passkey' | 'telegram-widget' | 'email-code'
    discovery: string
    needs: ('address' | 'chainId')[]
  }
  /**
   * Creates a challenge. `verify` receives `kindData`, and the browser receives `shown`.
   * @throws ApiError
   */
  challenge(
    context: ChallengeContext,
    input: ChallengeInput,
  ): Promise<{
    kindData: unknown
    shown: { message?: string; signIn?: unknown; flow?: unknown; webauthn?: unknown; widget?: unknown }
  }>
  /** @throws ApiError if the proof is invalid; RetryableRefusal if the challenge accepts another proof */
  verify(
    context: Pick<ChallengeContext, 'services' | 'site' | 'accountId' | 'network'>,
    kindData: unknown,
    proof: unknown,
  ): Promise<Verified>
}
