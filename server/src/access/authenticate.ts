import type { IncomingMessage } from 'node:http'
import type { Clock } from '../clock.ts'
import type { Reader } from '../database/statement.ts'
import { invalidArgument, invalidToken, tokenRequired } from '../errors.ts'
import { createRecent } from '../recent.ts'
import { findToken, type TokenRow } from './server-tokens.queries.ts'
import { hashToken, isWellFormedToken } from './token-format.ts'

/** Who asks, and what the token allows. */
export interface Caller {
  readonly tokenId: string
  readonly accountId: string
  readonly areas: readonly string[]
  /** Limits of the token's plan; null means none. */
  readonly perSecond: number | null
  readonly perDay: number | null
}

/** The headers of a request, each name once, and every value of each name. */
type Headers = Pick<IncomingMessage, 'headers' | 'headersDistinct'>

export interface Authenticator {
  /**
   * Who asked with this token when it was looked up last: work may begin for it, and none of that may be seen before
   * `authenticate` has given the same object.
   * @throws INVALID_ARGUMENT for two different values
   */
  presume(request: Headers): Caller | undefined
  /**
   * Who asks, as the database says now. The same object as before while nothing about the token has changed.
   * @throws TOKEN_REQUIRED, INVALID_TOKEN (spec 5.1.3), or INVALID_ARGUMENT for two different values
   */
  authenticate(request: Headers): Promise<Caller>
}

interface KnownToken {
  hash: Buffer
  /** What it was when it was looked up last, unless it was refused. */
  last: { version: string; caller: Caller } | undefined
}

const MOST_KNOWN = 10_000

/** Every request looks its token up anew, so that a revoked or regenerated one stops at once in every instance. */
export function createAuthenticator(reader: Reader, clock: Clock): Authenticator {
  const known = createRecent<KnownToken>(MOST_KNOWN, () => 1)
  /** @throws INVALID_TOKEN */
  const lookUp = (token: string): KnownToken => {
    const found = known.get(token)
    if (found) return found
    if (!isWellFormedToken('qbs', token)) throw invalidToken('malformed')
    const fresh: KnownToken = { hash: hashToken(token), last: undefined }
    known.set(token, fresh)
    return fresh
  }
  return {
    presume(request) {
      const token = tokenOf(request)
      return token === undefined ? undefined : known.get(token)?.last?.caller
    },
    async authenticate(request) {
      const token = tokenOf(request)
      if (token === undefined) throw tokenRequired()
      const entry = lookUp(token)
      const row = await findToken(reader, entry.hash)
      const refused = whyRefused(row, clock.now())
      if (refused || !row) {
        entry.last = undefined
        throw invalidToken(refused ?? 'unknown')
      }
      if (entry.last?.version !== row.version) entry.last = { version: row.version, caller: callerOf(row) }
      return entry.last.caller
    },
  }
}

function whyRefused(row: TokenRow | undefined, now: number): 'unknown' | 'revoked' | 'expired' | undefined {
  if (!row) return 'unknown'
  if (row.revoked_at) return 'revoked'
  return row.expires_at && row.expires_at.getTime() <= now ? 'expired' : undefined
}

const callerOf = (row: TokenRow): Caller => ({
  tokenId: row.token_id,
  accountId: row.account_id,
  areas: row.areas,
  perSecond: row.per_second,
  perDay: row.per_day,
})

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
