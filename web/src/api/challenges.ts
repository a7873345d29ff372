import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser'
import type { MergeOffer } from './merges.ts'
import { change, keepSession, type Session } from './session.ts'

/** `merge`: the proved identity belongs to another account, which becomes part of the signed-in account. */
export type Purpose = 'sign-in' | 'link' | 'merge'

/** The input of a wallet's sign-in feature. The service builds the message from the same fields. */
export interface SignInInput {
  domain: string
  statement: string
  uri: string
  chainId: string
  nonce: string
  address?: string
}

export interface Challenge {
  id: string
  kind: string
  expiresAt: string
  message?: string
  signIn?: SignInInput
  flow?: { appIdentifier: string; nonce: string }
  webauthn?: { request?: PublicKeyCredentialRequestOptionsJSON; creation: PublicKeyCredentialCreationOptionsJSON }
  widget?: { url: string }
}

export interface ChallengeInput {
  address?: string
  chainId?: number
}

/** Requests a challenge of a fixed kind and purpose. */
export type RequestChallenge = (input?: ChallengeInput) => Promise<Challenge>

export const challengeRequester =
  (kind: string, purpose: Purpose): RequestChallenge =>
  (input = {}) =>
    change<Challenge>('POST', '/api/challenges', { kind, purpose, ...input })

/** The session after a proof. If the purpose was a merge, it has the offer to confirm. */
export type Proved = Session & { merge?: MergeOffer }

/** Signs in, links, or prepares a merge, and then uses the returned session. @throws ApiFailure */
export async function prove(challenge: { id: string }, proof: object): Promise<Proved> {
  const { merge, ...session } = await change<Proved>('POST', `/api/challenges/${challenge.id}/proof`, proof)
  keepSession(session)
  return { ...session, ...(merge && { merge }) }
}
