import type { IncomingMessage } from 'node:http'
import type { Clock } from '../clock.ts'
import type { Reader } from '../database/statement.ts'
import { invalidArgument, invalidToken, tokenRequired } from '../errors.ts'
import { copyOf, createRecent } from '../cache/recent-cache.ts'
import { findToken, type TokenRow } from './server-tokens.queries.ts'
import { hashToken, isWellFormedToken } from '../secrets/token-format.ts'

/** The account, areas and limits of a token. */
export interface Caller {
  readonly tokenId: string
  readonly accountId: string
  readonly areas: readonly string[]
  /** The limits of the plan; null means unlimited. */
  readonly perSecond: number | null
  readonly perDay: number | null
}

type Headers = Pick<IncomingMessage, 'headers' | 'headersDistinct'>

export interface Authenticator {
  /**
   * Returns the cached token of a request, so that work can begin before the database responds. The result must not be
   * used
   * until `confirm` has returned the same caller.
   * @throws INVALID_ARGUMENT for two different values
   */
  presume(request: Headers): KnownToken | undefined
  /**
   * Reads a presumed token from the database. Returns its own caller object if nothing has changed. @throws
   * INVALID_TOKEN
   */
  confirm(presumed: KnownToken): Promise<Caller>
  /**
   * Reads the token of a request from the database.
   * @throws TOKEN_REQUIRED, INVALID_TOKEN (spec 5.1.3), or INVALID_ARGUMENT for two different values
   */
  authenticate(request: Headers): Promise<Caller>
}

/** A token that was valid at the last lookup. */
export interface KnownToken {
  readonly token: string
  readonly hash: Buffer
  /** The row of the last lookup. */
  row: TokenRow
  readonly caller: Caller
}

const MOST_KNOWN = 10_000

/** Each request looks its token up, so that a revoked token is rejected at once in all processes. */
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

/** Requests that share a lookup share its row. */
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

/** Other kinds of tokens by prefix. */
const otherClasses: Record<string, string> = {
  qbi_: 'an ingest token, which can only write; queries need a server access token',
  qbu_: 'an access token of a user, for the OAuth endpoints',
  qbr_: 'a refresh token of OAuth',
  qbc_: 'a code of OAuth',
  qbx_: 'the secret of an OAuth app',
}

/** Headers that clients use by mistake. */
const mistaken = ['x-access-token', 'x-token', 'x-api-key', 'api-key', 'token']

function misplaced({ headers }: Headers): string | undefined {
  if (headers.authorization) return 'the header Authorization without the word Bearer before a token'
  const found = mistaken.find((name) => headers[name] !== undefined)
  return found === undefined ? undefined : `the header ${found}, which is not read`
}

/**
 * Reads `access-token` or its aliases `access_token` and `Authorization: Bearer`; equal values may occur more than
 * once.
 */
function tokenOf(request: Headers): string | undefined {
  const { 'access-token': only, access_token: alias, authorization } = request.headers
  // Node joins repeated headers with a comma, which no token contains.
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
    `The request contains two different access tokens in ${where}`,
    `headers: ${headers.join(', ')}`,
  )
}
