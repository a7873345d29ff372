import type { IncomingMessage } from 'node:http'
import type { Clock } from '../clock.ts'
import type { Reader } from '../database/statement.ts'
import { invalidArgument, invalidToken, tokenRequired } from '../errors.ts'
import { copyOf, createRecent } from '../cache/recent-cache.ts'
import { findToken, type TokenRow } from './server-tokens.queries.ts'
import { hashToken, isWellFormedToken } from '../secrets/token-format.ts'

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
   * The request's token as it was when it was looked up last: work may begin for its caller, and none of that may be seen
   * before `confirm` has given the same caller.
   * @throws INVALID_ARGUMENT for two different values
   */
  presume(request: Headers): KnownToken | undefined
  /**
   * Who asks with a presumed token, as the database says now: its own caller, the same object, while nothing about it has
   * changed. @throws INVALID_TOKEN
   */
  confirm(presumed: KnownToken): Promise<Caller>
  /**
   * Who asks, as the database says now.
   * @throws TOKEN_REQUIRED, INVALID_TOKEN (spec 5.1.3), or INVALID_ARGUMENT for two different values
   */
  authenticate(request: Headers): Promise<Caller>
}

/** A token that was good when it was looked up last. */
export interface KnownToken {
  readonly token: string
  readonly hash: Buffer
  /** As it was read last. */
  row: TokenRow
  readonly caller: Caller
}

const MOST_KNOWN = 10_000

/** Every request looks its token up anew, so that a revoked or regenerated one stops at once in every instance. */
export function createAuthenticator(reader: Reader, clock: Clock): Authenticator {
  const known = createRecent<KnownToken>(MOST_KNOWN, () => 1)
  const lookUp = async (token: string, before: KnownToken | undefined): Promise<Caller> => {
    const hash = before?.hash ?? hashToken(token)
    const row = await findToken(reader, hash)
    const refused = whyRefused(row, clock.now())
    if (refused || !row) {
      known.delete(token)
      throw invalidToken(refused ?? 'unknown')
    }
    const last = before && allowTheSame(before.row, row) ? before : known.get(token)
    if (last && allowTheSame(last.row, row)) {
      last.row = row
      return last.caller
    }
    const fresh = { token: copyOf(token), hash, row, caller: callerOf(row) }
    known.set(fresh.token, fresh)
    return fresh.caller
  }

  return {
    presume(request) {
      const token = tokenOf(request)
      const found = token === undefined ? undefined : known.get(token)
      return found && !hasExpired(found.row, clock.now()) ? found : undefined
    },
    confirm: (presumed) => lookUp(presumed.token, presumed),
    async authenticate(request) {
      const token = tokenOf(request)
      if (token === undefined) throw tokenRequired(misplaced(request))
      const before = known.get(token)
      if (!before && !isWellFormedToken('qbs', token)) throw invalidToken('malformed', otherClasses[token.slice(0, 4)])
      return lookUp(token, before)
    },
  }
}

function whyRefused(row: TokenRow | undefined, now: number): 'unknown' | 'revoked' | 'expired' | undefined {
  if (!row) return 'unknown'
  if (row.revoked_at) return 'revoked'
  return hasExpired(row, now) ? 'expired' : undefined
}

const hasExpired = ({ expires_at: at }: TokenRow, now: number): boolean => at !== null && at.getTime() <= now

/** Requests that share a look-up share its row. */
function allowTheSame(a: TokenRow, b: TokenRow): boolean {
  if (a === b) return true
  const names = ['token_id', 'account_id', 'per_second', 'per_day'] as const
  return names.every((name) => a[name] === b[name]) && a.areas.join() === b.areas.join()
}

const callerOf = (row: TokenRow): Caller => ({
  tokenId: row.token_id,
  accountId: row.account_id,
  areas: row.areas,
  perSecond: row.per_second,
  perDay: row.per_day,
})

/** What else is handed out here, by how it begins. */
const otherClasses: Record<string, string> = {
  qbi_: 'an ingest token, which writes; queries take a server access token',
  qbu_: 'an access token of a user, which is for the OAuth endpoints',
  qbr_: 'a refresh token of OAuth',
  qbc_: 'a code of OAuth',
  qbx_: 'the secret of an OAuth app',
}

/** Headers that are often taken for ours. */
const mistaken = ['x-access-token', 'x-token', 'x-api-key', 'api-key', 'token']

function misplaced({ headers }: Headers): string | undefined {
  if (headers.authorization) return 'the header Authorization without the word Bearer before a token'
  const found = mistaken.find((name) => headers[name] !== undefined)
  return found === undefined ? undefined : `the header ${found}, which is not read`
}

/** The value of `access-token` or of an alias: `access_token`, `Authorization: Bearer`. The same value may be sent more than once. */
function tokenOf(request: Headers): string | undefined {
  const { 'access-token': only, access_token: alias, authorization } = request.headers
  // A header that comes twice is joined with a comma here, which no token has.
  if (typeof only === 'string' && alias === undefined && authorization === undefined && !only.includes(','))
    return only.trim() || undefined
  const distinct = request.headersDistinct
  const bearer = distinct.authorization?.map((value) => /^bearer +(.*)$/i.exec(value)?.[1] ?? '')
  const sent = {
    'access-token': distinct['access-token'],
    access_token: distinct['access_token'],
    Authorization: bearer,
  }
  const given = Object.entries(sent).flatMap(([header, values = []]) =>
    values.flatMap((value) => (value.trim() === '' ? [] : [{ header, token: value.trim() }])),
  )
  const [first] = given
  if (given.some(({ token }) => token !== first?.token)) throw differentTokens(given.map(({ header }) => header))
  return first?.token
}

function differentTokens(headers: readonly string[]): Error {
  const names = [...new Set(headers)]
  const where = names.length > 1 ? `the headers ${names.join(' and ')}` : `${headers.length} headers ${names[0]}`
  return invalidArgument(
    `The request carries two different access tokens in ${where}`,
    `headers: ${headers.join(', ')}`,
  )
}
