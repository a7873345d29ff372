import type { Config } from '../config.ts'
import type { IdentityScope } from './scopes.ts'
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

/** What a challenge is made of, besides the caller's own input. */
export interface ChallengeContext {
  services: Services
  site: Site
  nonce: string
  issuedAt: Date
  expiresAt: Date
  purpose: Purpose
  /** Who asks, as limits count callers. */
  network: string
  /** The name of a browser that has proved this subject before, which strangers cannot take. */
  knownBrowser: (subject: string) => Promise<string | undefined>
  /** The account that links, when it is a link. */
  accountId: string | undefined
  /** The sentence that a wallet shows: names the platform, the intent and the kind. */
  statement: (kind: string) => string
}

export interface ChallengeInput {
  address?: string | undefined
  chainId?: number | undefined
}

export interface ProvenIdentity {
  /** Immutable and canonical: what the identity is known by. */
  subject: string
  /** What people call it; may change. */
  username: string | null
  /** Other spellings of the same key, by which boards and holder lists may name it. */
  aliases?: readonly string[]
  /** Of a contract wallet: the one EVM chain on which it was proved. Elsewhere the address may be somebody else's. */
  boundChainId?: number
}

export interface Verified {
  /** Absent for a kind that proves an account, not an identity of its own: then `accountId` or `newAccountId` is there. */
  identity?: ProvenIdentity
  /** The account that the proof itself belongs to (a known passkey). */
  accountId?: string
  /** The passkey that proved it, known or new. */
  passkeyId?: string
  /** The browser is to be known as one that proved this (known-browser.ts). */
  remember?: true
  /** Stores what the proof brought (a new passkey) with the account, in the transaction that signs in or links. */
  attach?: (kysely: Services['database']['kysely'], accountId: string) => Promise<void>
  /** The account id that the proof is made for when it has to be a new account. */
  newAccountId?: string
}

/** An identity kind that is proved by answering a challenge in the browser: one file each. */
export interface ChallengeKind {
  kind: IdentityScope
  label: string
  /** Why the kind is off with this configuration; undefined when it is on. Without this member it is always on. */
  off?: (config: Config) => string | undefined
  /** What the page needs to know before it can ask. */
  browser: {
    way: 'wallet' | 'passkey' | 'telegram-widget' | 'email-code'
    discovery: string
    needs: ('address' | 'chainId')[]
  }
  /** `stored` stays here and comes back to verify; `shown` goes to the browser. @throws ApiError */
  challenge(
    context: ChallengeContext,
    input: ChallengeInput,
  ): Promise<{
    stored: unknown
    shown: { message?: string; signIn?: unknown; flow?: unknown; webauthn?: unknown; widget?: unknown }
  }>
  /** @throws ApiError when the proof does not prove what was asked, RetryableRefusal when another answer is allowed */
  verify(
    context: Pick<ChallengeContext, 'services' | 'site' | 'accountId' | 'network'>,
    stored: unknown,
    proof: unknown,
  ): Promise<Verified>
}

/** THE table: a kind that stands here can sign in and be linked. */
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
