import type { Config } from '../config.ts'
import type { IdentityScope } from '../settings/scopes.ts'
import type { Purpose } from './challenge.queries.ts'
import { emailAddress } from './email.ts'
import { serviceId } from './passkey.ts'
import type { Services } from '../services.ts'
import type { Site } from '../settings/site.ts'
import { telegramWidget } from './social/telegram-widget.ts'
import { aptosAddress } from './wallet/aptos.ts'
import { evmAddress } from './wallet/evm.ts'
import { flowAddress } from './wallet/flow.ts'
import { injectiveAddress } from './wallet/injective.ts'
import { seiAddress } from './wallet/sei.ts'
import { solanaAddress } from './wallet/solana.ts'

export interface ChallengeContext {
  services: Services
  site: Site
  nonce: string
  issuedAt: Date
  expiresAt: Date
  purpose: Purpose
  /** The network that rate limits count. */
  network: string
  /**
   * The hash of this browser's cookie if the browser has proved this subject before. Other browsers cannot use up its
   * limits.
   */
  knownBrowser: (subject: string) => Promise<string | undefined>
  /** The account to link to, for purpose `link`. */
  accountId: string | undefined
  /** The sentence that the wallet shows: platform, intent and kind. */
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
  /**
   * For a contract wallet: the EVM chain on which it was proved. On other chains the address may have another owner.
   */
  boundChainId?: number
}

export interface Verified {
  /** Absent if the kind proves an account directly (passkeys); then `accountId` or `newAccountId` is set. */
  identity?: ProvenIdentity
  /** The account of a known passkey. */
  accountId?: string
  /** The passkey, known or new. */
  passkeyId?: string
  /** Whether to remember the browser as one that proved this subject (known-browser.ts). */
  remember?: true
  /** Stores the new passkey in the transaction that signs in or links. */
  attach?: (kysely: Services['database']['kysely'], accountId: string) => Promise<void>
  /** The id that a new account must get, because the passkey was created for it. */
  newAccountId?: string
}

/** An identity kind that is proved by a challenge in the browser: one file each. */
export interface ChallengeKind {
  kind: IdentityScope
  label: string
  /** The reason why the kind is off with this configuration, or undefined if it is on. */
  off?: (config: Config) => string | undefined
  /** The form in which the page requests and proves a challenge. */
  browser: {
    way: 'wallet' | 'passkey' | 'telegram-widget' | 'email-code'
    discovery: string
    needs: ('address' | 'chainId')[]
  }
  /** `stored` is passed to `verify`; `shown` is sent to the browser. @throws ApiError */
  challenge(
    context: ChallengeContext,
    input: ChallengeInput,
  ): Promise<{
    stored: unknown
    shown: { message?: string; signIn?: unknown; flow?: unknown; webauthn?: unknown; widget?: unknown }
  }>
  /** @throws ApiError if the proof fails, RetryableRefusal if another proof is allowed */
  verify(
    context: Pick<ChallengeContext, 'services' | 'site' | 'accountId' | 'network'>,
    stored: unknown,
    proof: unknown,
  ): Promise<Verified>
}

/** All kinds that are proved by a challenge. */
export const challengeKinds: readonly ChallengeKind[] = [
  serviceId,
  evmAddress,
  solanaAddress,
  seiAddress,
  aptosAddress,
  injectiveAddress,
  flowAddress,
  telegramWidget,
  emailAddress,
]

export function findChallengeKind(kind: string): ChallengeKind | undefined {
  return challengeKinds.find((candidate) => candidate.kind === kind)
}
