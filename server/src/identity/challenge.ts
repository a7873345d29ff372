import type { FastifyReply, FastifyRequest } from 'fastify'
import { CHALLENGE_LIFETIME } from '../lifetimes.ts'
import { randomName } from '../oauth/token-format.ts'
import { ApiError, invalidField, tooManyRequests } from './api-error.ts'
import { challengesByAddress, challengesByKnownBrowser, countAttempt } from './attempts.ts'
import { insertChallenge, type Purpose, type StoredChallenge, takeChallenge } from './challenge.queries.ts'
import { browserHashOf, ensureBrowser, setSessionCookie } from './cookies.ts'
import { identityError, RetryableRefusal } from './identity-error.ts'
import { type ChallengeInput, type ChallengeKind, challengeKinds, findChallengeKind, type Verified } from './kinds.ts'
import { knownBrowser, rememberMailbox } from './known-browser.ts'
import { link, signInWith } from './linking.ts'
import { type MergeView, offerMerge } from './merge.ts'
import type { SessionRecord } from './session.queries.ts'
import { noteRefusedSignIn } from './refused-sign-in.ts'
import { requireFreshSession, sessionOf } from './session.ts'
import { later, nowOf, type SignIn } from './sign-in.ts'
import { PLATFORM } from './site.ts'
import { hashOf } from '../oauth/token-format.ts'

const ID_LENGTH = 32
const NONCE_LENGTH = 24

/** What a wallet shows: the platform, the intent, the kind, and whose account it is about. */
const statements: Record<Purpose, (kind: string, account: string) => string> = {
  'sign-in': (kind) => `Sign in to ${PLATFORM} with this ${kind}.`,
  link: (kind, account) => `Link this ${kind} to your ${PLATFORM} account ${account}.`,
  merge: (kind, account) => `Merge the ${PLATFORM} account of this ${kind} into the account ${account}.`,
}

export interface ChallengeRequest extends ChallengeInput {
  kind: string
  purpose: Purpose
}

/** Gives this browser a challenge of one kind. @throws ApiError */
export async function createChallenge(
  signIn: SignIn,
  request: FastifyRequest,
  reply: FastifyReply,
  asked: ChallengeRequest,
): Promise<Record<string, unknown>> {
  await countChallenge(signIn, request, asked)
  const kind = requireKind(signIn, asked.kind)
  const session = asked.purpose === 'sign-in' ? undefined : await requireFreshSession(signIn, request)
  const browser = ensureBrowser(signIn, request, reply)
  const issuedAt = nowOf(signIn)
  const expiresAt = later(issuedAt, CHALLENGE_LIFETIME)
  const { stored, shown } = await kind.challenge(
    {
      signIn,
      site: signIn.site,
      nonce: randomName(signIn.random, NONCE_LENGTH),
      issuedAt,
      expiresAt,
      purpose: asked.purpose,
      network: request.network,
      knownBrowser: (subject) => knownBrowser(signIn, request, subject),
      accountId: asked.purpose === 'link' ? session?.accountId : undefined,
      statement: (name) => statements[asked.purpose](name, session?.username ?? ''),
    },
    asked,
  )
  const challengeId = randomName(signIn.random, ID_LENGTH)
  await insertChallenge(signIn.database.kysely, {
    challengeId,
    browserHash: hashOf(browser),
    sessionHash: session?.sessionHash ?? null,
    accountId: session?.accountId ?? null,
    kind: kind.kind,
    purpose: asked.purpose,
    stored,
    expiresAt,
  })
  return { id: challengeId, kind: kind.kind, expiresAt: expiresAt.toISOString(), ...shown }
}

/** What came of an answer: the cookie of a session that it started, or a merge to confirm. */
export interface Answered {
  newSession?: string
  merge?: MergeView
}

/**
 * Takes the answer to a challenge and signs in, links, or offers a merge. The first answer ends the challenge, unless
 * it is refused with RetryableRefusal. @throws ApiError
 */
export async function answerChallenge(
  signIn: SignIn,
  request: FastifyRequest,
  reply: FastifyReply,
  challengeId: string,
  proof: unknown,
): Promise<Answered> {
  const { network } = request
  const browserHash = browserHashOf(signIn, request)
  const challenge =
    browserHash && (await takeChallenge(signIn.database.kysely, challengeId, browserHash, nowOf(signIn)))
  if (!challenge)
    throw new ApiError(
      404,
      'challenge_gone',
      'This challenge does not exist, was answered, or is over; ask for a new one',
    )
  const kind = requireKind(signIn, challenge.kind)
  const session = challenge.purpose === 'sign-in' ? undefined : await askingSession(signIn, request, challenge)
  const accountId = challenge.purpose === 'link' ? session?.accountId : undefined
  const verified = await kind
    .verify({ signIn, site: signIn.site, accountId, network }, challenge.stored, proof)
    .catch(async (error: unknown) => {
      if (error instanceof ApiError && accountId === undefined)
        noteRefusedSignIn(signIn, request, challenge, proof, error.code)
      // The challenge was taken out before its answer was read, so parallel answers cannot share an attempt.
      if (error instanceof RetryableRefusal)
        await insertChallenge(signIn.database.kysely, { ...challenge, stored: error.stored })
      throw error
    })
  const { purpose } = challenge
  const answered = await useProof(signIn, request, reply, { purpose, session, kind: kind.kind, verified })
  if (verified.remember && verified.identity) rememberMailbox(signIn, request, reply, verified.identity.subject)
  return answered
}

/** A browser that has proved the mailbox which it asks about does not wait for others of its network. @throws ApiError */
async function countChallenge(signIn: SignIn, request: FastifyRequest, { kind, address }: ChallengeRequest) {
  const count = await countAttempt(signIn, challengesByAddress, request.network)
  if (!count.exceeded) return
  const browser = kind === 'Email' && address !== undefined ? await knownBrowser(signIn, request, address) : undefined
  if (browser === undefined) throw tooManyRequests(count.retryAfter)
  const own = await countAttempt(signIn, challengesByKnownBrowser, browser)
  if (own.exceeded) throw tooManyRequests(own.retryAfter)
}

/** Does with a proof what it was asked for. `session`: who asked, unless it is a sign-in. @throws ApiError */
export async function useProof(
  signIn: SignIn,
  request: FastifyRequest,
  reply: FastifyReply,
  proof: { purpose: Purpose; session: SessionRecord | undefined; kind: string; verified: Verified },
): Promise<Answered> {
  const { purpose, session, kind, verified } = proof
  if (session === undefined) {
    const newSession = await signInWith(signIn, request, kind, verified)
    setSessionCookie(signIn, reply, newSession)
    return { newSession }
  }
  if (purpose === 'merge') return { merge: await offerMerge(signIn, session, kind, verified) }
  await link(signIn, request, session, kind, verified)
  return {}
}

/** The session that asked for a link or merge, if it is the very same that answers. @throws ApiError session_changed */
export async function askingSession(
  signIn: SignIn,
  request: FastifyRequest,
  challenge: StoredChallenge,
): Promise<SessionRecord> {
  const session = await sessionOf(signIn, request)
  const same =
    session !== undefined &&
    challenge.sessionHash?.equals(session.sessionHash) === true &&
    challenge.accountId === session.accountId
  if (!same) throw new ApiError(409, 'session_changed', 'Somebody else signed in since; start again')
  return session
}

function requireKind({ config }: SignIn, name: string): ChallengeKind {
  const kind = findChallengeKind(name)
  const off = kind?.off?.(config)
  if (kind && off !== undefined) throw identityError('unsupported', `${kind.kind} is off here: ${off}`, 'kind')
  if (!kind) throw invalidField('kind', `must be one of ${challengeKinds.map((known) => known.kind).join(', ')}`)
  return kind
}
