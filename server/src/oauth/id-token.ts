import { createHash } from 'node:crypto'
import { createLocalJWKSet, errors, jwtVerify } from 'jose'
import { ID_TOKEN_LIFETIME } from '../lifetimes.ts'
import { sidOf } from '../secrets/sid.ts'
import type { Services } from '../services.ts'
import type { App } from './app.queries.ts'
import { signJwt } from './sign-jwt.ts'
import { publishedKeys, SIGNING_ALGORITHM } from './signing-keys.ts'
import { accountFor, subjectFor } from './subject.ts'

export interface IdTokenFacts {
  app: App
  accountId: string
  nonce: string | undefined
  authenticatedAt: Date
  sessionId: string | undefined
  accessToken: string
}

const ID_TOKEN_TYPE = 'JWT'

/** Creates an id_token (OpenID Connect Core 2). `at_hash` is the left half of the access token's SHA-256 (3.1.3.6). */
export async function createIdToken(services: Services, facts: IdTokenFacts): Promise<string> {
  const now = Math.floor(services.clock.now() / 1000)
  const leftHalf = createHash('sha256').update(facts.accessToken).digest().subarray(0, 16)
  const claims = {
    iss: services.site.issuer,
    sub: await subjectFor(services, facts.app, facts.accountId),
    aud: facts.app.clientId,
    iat: now,
    exp: now + ID_TOKEN_LIFETIME / 1000,
    auth_time: Math.floor(facts.authenticatedAt.getTime() / 1000),
    at_hash: leftHalf.toString('base64url'),
    ...(facts.sessionId !== undefined && { sid: sidOf(facts.sessionId, facts.app.clientId) }),
    ...(facts.nonce !== undefined && { nonce: facts.nonce }),
  }
  return signJwt(services, ID_TOKEN_TYPE, claims)
}

/** No published key matches the token: its key was removed, or it never belonged to this service. */
export const KEY_NOT_PUBLISHED = Symbol('key not published')

/**
 * Verifies an id_token and returns its account. Returns undefined if this service did not issue the token to this app, and
 * KEY_NOT_PUBLISHED if no published key matches.
 */
export async function readOwnIdToken(
  services: Services,
  app: App,
  token: string,
): Promise<string | typeof KEY_NOT_PUBLISHED | undefined> {
  try {
    const { payload } = await jwtVerify(token, createLocalJWKSet(await publishedKeys(services)), {
      algorithms: [SIGNING_ALGORITHM],
      // Other tokens of this service have the same issuer, audience and keys.
      typ: ID_TOKEN_TYPE,
      issuer: services.site.issuer,
      audience: app.clientId,
      // At the time 0, no token has expired. Expired tokens are accepted: the callers only compare the subject with the
      // account of the current session.
      currentDate: new Date(0),
    })
    return payload.sub && (await accountFor(services, app, payload.sub))
  } catch (error) {
    if (error instanceof errors.JWKSNoMatchingKey) return KEY_NOT_PUBLISHED
    if (error instanceof errors.JOSEError) return undefined
    throw error
  }
}
