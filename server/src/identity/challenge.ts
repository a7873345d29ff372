import type { FastifyReply, FastifyRequest } from 'fastify'
import { CHALLENGE_LIFETIME } from '../lifetimes.ts'
import { randomName } from '../oauth/token-format.ts'
import { ApiError, invalidField, tooManyRequests } from './api-error.ts'
import { challengesByAddress, countAttempt, networkOf } from './attempts.ts'
import { insertChallenge, type Purpose, type StoredChallenge, takeChallenge } from './challenge.queries.ts'
import { browserHashOf, ensureBrowser } from './cookies.ts'
import { identityError } from './identity-error.ts'
import { type ChallengeInput, type ChallengeKind, challengeKinds, findChallengeKind, type Verified } from './kinds.ts'
import { link, signInWith } from './linking.ts'
import { noteRefusedSignIn } from './refused-sign-in.ts'
import { requireFreshSession, sessionOf, startSession } from './session.ts'
import { later, nowOf, type SignIn } from './sign-in.ts'
import { PLATFORM } from './site.ts'
import { hashOf } from '../oauth/token-format.ts'

const ID_LENGTH = 32
const NONCE_LENGTH = 24

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
  const count = await countAttempt(signIn, challengesByAddress, networkOf(request.ip))
  if (count.exceeded) throw tooManyRequests(count.retryAfter)
  const kind = requireKind(signIn, asked.kind)
  const session = asked.purpose === 'link' ? await requireFreshSession(signIn, request) : undefined
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
      accountId: session?.accountId,
      statement: (name) =>
        session
          ? `Link this ${name} to your ${PLATFORM} account ${session.username}.`
          : `Sign in to ${PLATFORM} with this ${name}.`,
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

/**
 * Takes the answer to a challenge and signs in or links. A challenge is spent by its first answer, right or wrong.
 * Answers the cookie of the session that holds afterwards, when it is a new one. @throws ApiError
 */
export async function answerChallenge(
  signIn: SignIn,
  request: FastifyRequest,
  reply: FastifyReply,
  challengeId: string,
  proof: unknown,
): Promise<{ newSession: string | undefined }> {
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
  const accountId = challenge.purpose === 'link' ? await linkingAccount(signIn, request, challenge) : undefined
  const verified = await kind
    .verify({ signIn, site: signIn.site, accountId }, challenge.stored, proof)
    .catch(async (error: unknown) => {
      if (error instanceof ApiError && accountId === undefined)
        await noteRefusedSignIn(signIn, request, challenge, proof, error.code)
      throw error
    })
  if (accountId !== undefined) {
    await link(signIn, request, accountId, kind.kind, verified)
    return { newSession: undefined }
  }
  return { newSession: await finishSignIn(signIn, request, reply, kind.kind, verified) }
}

export async function finishSignIn(
  signIn: SignIn,
  request: FastifyRequest,
  reply: FastifyReply,
  kind: string,
  verified: Verified,
): Promise<string> {
  const accountId = await signInWith(signIn, request, kind, verified)
  return startSession(signIn, request, reply, accountId, kind)
}

/** The account that asked for the link, if the very same session still holds. */
export async function linkingAccount(
  signIn: SignIn,
  request: FastifyRequest,
  challenge: StoredChallenge,
): Promise<string> {
  const session = await sessionOf(signIn, request)
  const same =
    session !== undefined &&
    challenge.sessionHash?.equals(session.sessionHash) === true &&
    challenge.accountId === session.accountId
  if (!same) throw new ApiError(409, 'session_changed', 'Somebody else signed in since; start the linking again')
  return session.accountId
}

function requireKind({ config }: SignIn, name: string): ChallengeKind {
  const kind = findChallengeKind(name)
  const off = kind?.off?.(config)
  if (kind && off !== undefined) throw identityError('unsupported', `${kind.kind} is off here: ${off}`, 'kind')
  if (!kind) throw invalidField('kind', `must be one of ${challengeKinds.map((known) => known.kind).join(', ')}`)
  return kind
}
