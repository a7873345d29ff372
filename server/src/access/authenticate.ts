import type { IncomingMessage } from 'node:http'
import type { Clock } from '../clock.ts'
import type { Reader } from '../database/statement.ts'
import { invalidArgument, invalidToken, tokenRequired } from '../errors.ts'
import { createRecent } from '../recent.ts'
import { findToken } from './server-tokens.queries.ts'
import { hashToken, isWellFormedToken } from './token-format.ts'

/** Who asks, and what the token allows. */
export interface Caller {
  tokenId: string
  accountId: string
  areas: readonly string[]
  /** Limits of the token's plan; null means none. */
  perSecond: number | null
  perDay: number | null
}

/** The headers of a request, each name once, and every value of each name. */
type Headers = Pick<IncomingMessage, 'headers' | 'headersDistinct'>

export interface Authenticator {
  /** @throws TOKEN_REQUIRED, INVALID_TOKEN (spec 5.1.3), or INVALID_ARGUMENT for two different values */
  authenticate(request: Headers): Promise<Caller>
}

const MOST_HASHES = 10_000

/** Every request looks its token up anew, so that a revoked or regenerated one stops at once in every instance. */
export function createAuthenticator(reader: Reader, clock: Clock): Authenticator {
  const hashes = createRecent<Buffer>(MOST_HASHES, () => 1)
  /** @throws INVALID_TOKEN */
  const hashOf = (token: string): Buffer => {
    const known = hashes.get(token)
    if (known) return known
    if (!isWellFormedToken('qbs', token)) throw invalidToken('malformed')
    const hash = hashToken(token)
    hashes.set(token, hash)
    return hash
  }
  return {
    async authenticate(request) {
      const token = tokenOf(request)
      if (token === undefined) throw tokenRequired()
      const row = await findToken(reader, hashOf(token))
      if (!row) throw invalidToken('unknown')
      if (row.revoked_at) throw invalidToken('revoked')
      if (row.expires_at && row.expires_at.getTime() <= clock.now()) throw invalidToken('expired')
      return {
        tokenId: row.token_id,
        accountId: row.account_id,
        areas: row.areas,
        perSecond: row.per_second,
        perDay: row.per_day,
      }
    },
  }
}

/** The value of `access-token`, or of its alias `Authorization: Bearer`; the same value may be sent more than once. */
function tokenOf(request: Headers): string | undefined {
  const { 'access-token': only, authorization } = request.headers
  // A header that comes twice is joined with a comma here, which no token has.
  if (typeof only === 'string' && authorization === undefined && !only.includes(',')) return only.trim() || undefined
  const distinct = request.headersDistinct
  const own = distinct['access-token'] ?? []
  const bearer = (distinct.authorization ?? []).map((value) => /^bearer +(.*)$/i.exec(value)?.[1] ?? '')
  const given = new Set([...own, ...bearer].map((value) => value.trim()).filter((value) => value !== ''))
  if (given.size > 1)
    throw invalidArgument('The request carries two different access tokens', 'headers: access-token, Authorization')
  return [...given][0]
}
