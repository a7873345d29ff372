import type { FastifyReply, FastifyRequest } from 'fastify'
import { CHALLENGE_LIFETIME } from '../lifetimes.ts'
import { randomName } from '../secrets/random-name.ts'
import { ApiError, invalidField, tooManyRequests } from '../errors.ts'
import { challengesByNetwork, challengesByKnownBrowser } from '../rate-limits/limits.ts'
import { countAttempt } from '../rate-limits/fixed-window.ts'
import { insertChallenge, type Purpose, type StoredChallenge, takeChallenge } from './challenge.queries.ts'
import { browserHashOf, ensureBrowser, setSessionCookie } from '../sessions/cookies.ts'
import { identityError, RetryableRefusal } from './identity-error.ts'
import type { ChallengeInput, ChallengeKind, Verified } from './challenge-kind.ts'
import { challengeKinds, findChallengeKind } from './kinds.ts'
import { knownBrowser, rememberMailbox } from '../sessions/known-browser.ts'
import { link, signInWith } from './linking.ts'
import { type MergeView, offerMerge } from './merge.ts'
import type { SessionRecord } from '../sessions/session.queries.ts'
import type { AnyCaller } from '../api/route.ts'
import { noteRefusedSignIn } from './refused-sign-in.ts'
import { sessionOf } from '../sessions/session.ts'
import { later, nowOf, type Services } from '../services.ts'
import { signInName } from '../settings/brand.ts'
import { hashOf } from '../secrets/hashes.ts'
import { fault } from '../texts/faults.ts'

const ID_LENGTH = 32
const NONCE_LENGTH = 24

/** For each purpose, the statement in the text that the wallet shows. */
const statements: Record<Purpose, (kind: string, platform: string, account: string) => string> = {
  'sign-in': (kind, platform) => `Sign in to ${platform} with this ${kind}.`,
  link: (kind, platform, account) => `Link this ${kind} to your ${platform} account ${account}.`,
  merge: (kind, platform, account) => `Merge the ${platform} account of this ${kind} into the account ${account}.`,
}

export interface ChallengeRequest extends ChallengeInput {
  kind: string
  purpose: Purpose
}

export type SignInCall = AnyCaller & { services: Services; request: FastifyRequest; reply: FastifyReply }

export async function createChallenge(
  { services, request, reply, authenticate }: SignInCall,
  asked: ChallengeRequest,
): Promise<Record<string, unknown>> {
  await countChallenge(services, request, asked)
  const kind = requireKind(services, asked.kind)
  const session = asked.purpose === 'sign-in' ? undefined : await authenticate({ recentSignIn: true })
  const browser = ensureBrowser(services, request, reply)
  const issuedAt = nowOf(services)
  const expiresAt = later(issuedAt, CHALLENGE_LIFETIME)
  const { kindData, shown } = await kind.challenge(
    {
      services,
      site: services.site,
      nonce: randomName(services.random, NONCE_LENGTH),
      issuedAt,
      expiresAt,
      purpose: asked.purpose,
      network: request.network,
      knownBrowser: (subject) => knownBrowser(services, request, subject),
      accountId: asked.purpose === 'link' ? session?.accountId : undefined,
      statement: (name) => statements[asked.purpose](name, signInName(services.config.brand), session?.username ?? ''),
    },
    asked,
  )
  const challengeId = randomName(services.random, ID_LENGTH)
  await insertChallenge(services.database.kysely, {
    challengeId,
    browserHash: hashOf(browser),
    sessionHash: session?.sessionHash ?? null,
    accountId: session?.accountId ?? null,
    kind: kind.kind,
    purpose: asked.purpose,
    kindData,
    expiresAt,
  })
  return { id: challengeId, kind: kind.kind, expiresAt: expiresAt.toISOString(), ...shown }
}

/** The result of a proof: the cookie of a new session, a merge to confirm, or nothing after a link. */
export interface Answered {
  newSession?: string
  merge?: MergeView
}

/**
 * Verifies the proof for a challenge, then signs in, links, or offers a merge. A challenge accepts only one proof. If
 * the verification throws RetryableRefusal, the challenge accepts another proof.
 * @throws ApiError
 */
export async function answerChallenge(
  services: Services,
  request: FastifyRequest,
  reply: FastifyReply,
  challengeId: string,
  proof: unknown,
): Promise<Answered> {
  const { network } = request
  const browserHash = browserHashOf(services, request)
  const challenge =
    browserHash && (await takeChallenge(services.database.kysely, challengeId, browserHash, nowOf(services)))
  if (!challenge)
    throw new ApiError('challenge_gone', 'This challenge does not exist, was answered, or is over; ask for a new one')
  const kind = requireKind(services, challenge.kind)
  const session = challenge.purpose === 'sign-in' ? undefined : await requireSameSession(services, request, challenge)
  const accountId = challenge.purpose === 'link' ? session?.accountId : undefined
  const verified = await kind
    .verify({ services, site: services.site, accountId, network }, challenge.kindData, proof)
    .catch(async (error: unknown) => {
      if (error instanceof ApiError && accountId === undefined)
        noteRefusedSignIn(services, request, challenge, proof, error.code)
      // takeChallenge() deleted the challenge, so that parallel proofs cannot share an attempt. This refusal allows
      // another proof, so the challenge is stored again.
      if (error instanceof RetryableRefusal)
        await insertChallenge(services.database.kysely, { ...challenge, kindData: error.kindData })
      throw error
    })
  const { purpose } = challenge
  const answered = await useProof(services, request, reply, { purpose, session, kind: kind.kind, verified })
  if (verified.remember && verified.identity) rememberMailbox(services, request, reply, verified.identity.subject)
  return answered
}

/**
 * Counts the challenge for its network. If the network exceeds its limit, a browser that has proved this mailbox before
 * has its own limit.
 * @throws ApiError if the request exceeds the limits
 */
async function countChallenge(services: Services, request: FastifyRequest, { kind, address }: ChallengeRequest) {
  const count = await countAttempt(services, challengesByNetwork, request.network)
  if (!count.exceeded) return
  const browser = kind === 'Email' && address !== undefined ? await knownBrowser(services, request, address) : undefined
  if (browser === undefined) throw tooManyRequests(count.retryAfter)
  const own = await countAttempt(services, challengesByKnownBrowser, browser)
  if (own.exceeded) throw tooManyRequests(own.retryAfter)
}

/**
 * Signs in, links, or offers a merge.
 * @param proof.session the session that requested the challenge; undefined for a sign-in
 * @throws ApiError
 */
export async function useProof(
  services: Services,
  request: FastifyRequest,
  reply: FastifyReply,
  proof: { purpose: Purpose; session: SessionRecord | undefined; kind: string; verified: Verified },
): Promise<Answered> {
  const { purpose, session, kind, verified } = proof
  if (session === undefined) {
    const newSession = await signInWith(services, request, kind, verified)
    setSessionCookie(services, reply, newSession)
    return { newSession }
  }
  if (purpose === 'merge') return { merge: await offerMerge(services, session, kind, verified) }
  await link(services, request, session, kind, verified)
  return {}
}

/**
 * Returns the current session if this session requested the challenge.
 * @throws ApiError session_changed if another session, or none, is current
 */
export async function requireSameSession(
  services: Services,
  request: FastifyRequest,
  challenge: StoredChallenge,
): Promise<SessionRecord> {
  const session = await sessionOf(services, request)
  const same =
    session !== undefined &&
    challenge.sessionHash?.equals(session.sessionHash) === true &&
    challenge.accountId === session.accountId
  if (!same)
    throw new ApiError('session_changed', 'The session has changed since this sign-in was started; start again')
  return session
}

function requireKind({ config }: Services, name: string): ChallengeKind {
  const kind = findChallengeKind(name)
  const off = kind?.off?.(config)
  if (kind && off !== undefined) throw identityError('unsupported', `${kind.kind} is off here: ${off}`, 'kind')
  const known = challengeKinds.map((one) => one.kind)
  if (!kind) throw invalidField('kind', `must be one of ${known.join(', ')}`, fault('not_one_of', { allowed: known }))
  return kind
}
