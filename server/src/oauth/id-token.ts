import { createHash } from 'node:crypto'
import { SignJWT } from 'jose'
import { ID_TOKEN_LIFETIME } from '../lifetimes.ts'
import type { SignIn } from '../identity/sign-in.ts'
import { currentSigningKey, SIGNING_ALGORITHM } from './signing-keys.ts'

export interface IdTokenFacts {
  clientId: string
  accountId: string
  nonce: string | undefined
  authenticatedAt: Date
  accessToken: string
}

/** OpenID Connect Core 2 and 3.1.3.6. */
export async function createIdToken(signIn: SignIn, facts: IdTokenFacts): Promise<string> {
  const { keyId, key } = await currentSigningKey(signIn)
  const now = Math.floor(signIn.clock.now() / 1000)
  const half = createHash('sha256').update(facts.accessToken).digest().subarray(0, 16)
  return new SignJWT({
    auth_time: Math.floor(facts.authenticatedAt.getTime() / 1000),
    at_hash: half.toString('base64url'),
    ...(facts.nonce !== undefined && { nonce: facts.nonce }),
  })
    .setProtectedHeader({ alg: SIGNING_ALGORITHM, kid: keyId, typ: 'JWT' })
    .setIssuer(signIn.site.issuer)
    .setSubject(facts.accountId)
    .setAudience(facts.clientId)
    .setIssuedAt(now)
    .setExpirationTime(now + ID_TOKEN_LIFETIME / 1000)
    .sign(key)
}
