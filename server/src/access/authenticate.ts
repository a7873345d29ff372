import type { IncomingMessage } from 'node:http'
import type { Clock } from '../clock.ts'
import type { Reader } from '@questboard/pg-read-pipeline'
import { invalidArgument, invalidToken, tokenRequired } from '../errors.ts'
import { findToken, type TokenRow } from './server-tokens.queries.ts'
import { hashOf } from '../secrets/hashes.ts'
import { isWellFormedToken } from '../secrets/token-format.ts'

/** The account, areas and limits of a token. */
export interface Caller {
  readonly tokenId: string
  readonly accountId: string
  readonly areas: readonly string[]
  /** The limits of the plan; null means unlimited. */
  readonly perSecond: number | null
  readonly perDay: number | null
  /** Set for a publishable token. */
  readonly publishable?: {
    readonly spaces: readonly number[]
    readonly network: NetworkShare
  }
}

/** The limits of one network that uses a publishable token. */
export interface NetworkShare {
  /** A UUID derived from the token and the network: the key of their quota. */
  readonly id: string
  readonly perSecond: number | null
  readonly perDay: number | null
}

export type Headers = Pick<IncomingMessage, 'headers' | 'headersDistinct'>

export interface Authenticator {
  /**
   * Reads the token of a request from the database.
   * @throws TOKEN_REQUIRED, INVALID_TOKEN, or INVALID_ARGUMENT if the headers contain different tokens
   */
  authenticate(request: Headers): Promise<Caller>
}

/** Each request looks its token up, so that a revoked token is rejected at once in all processes. */
export function createAuthenticator(reader: Reader, clock: Clock): Authenticator {
  return {
    async authenticate(request) {
      const token = tokenOf(request)
      if (token === undefined) throw tokenRequired(misplaced(request))
      if (!isWellFormedToken('qbs', token)) throw invalidToken('malformed', otherClasses[token.slice(0, 4)])
      const row = await findToken(reader, hashOf(token))
      const refused = refusalReason(row, clock.now())
      if (refused || !row) throw invalidToken(refused ?? 'unknown')
      return callerOf(row)
    },
  }
}

export function refusalReason(
  row: TokenRow | undefined,
  now: number,
): 'unknown' | 'revoked' | 'expired' | 'its account is suspended' | undefined {
  if (!row) return 'unknown'
  if (row.revoked_at) return 'revoked'
  if (row.suspended_at) return 'its account is suspended'
  return hasExpired(row, now) ? 'expired' : undefined
}

const hasExpired = ({ expires_at: at }: TokenRow, now: number): boolean => at !== null && at.getTime() <= now

const callerOf = (row: TokenRow): Caller => ({
  tokenId: row.token_id,
  accountId: row.account_id,
  areas: row.areas,
  perSecond: row.per_second,
  perDay: row.per_day,
})

/** Other kinds of tokens by prefix. */
const otherClasses: Record<string, string> = {
  qbp_: 'a publishable token, which only /query and /live take',
  qbi_: 'an ingest token, which can only write; queries need a server access token',
  qbu_: 'an access token of a user, for the OAuth endpoints and /mcp',
  qbr_: 'a refresh token of OAuth',
  qbc_: 'a code of OAuth',
  qbx_: 'the secret of an OAuth app',
}

/** Headers that clients use by mistake. */
const mistaken = ['x-access-token', 'x-token', 'x-api-key', 'api-key', 'token']

export function misplaced({ headers }: Headers): string | undefined {
  if (headers.authorization) return 'the header Authorization without the word Bearer before a token'
  const found = mistaken.find((name) => headers[name] !== undefined)
  return found === undefined ? undefined : `the header ${found}, which is not read`
}

/**
 * Reads `access-token` or its aliases `access_token` and `Authorization: Bearer`; equal values may occur more than
 * once.
 */
export function tokenOf(request: Headers): string | undefined {
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
