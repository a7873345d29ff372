import type { Clock } from '../clock.ts'
import type { Reader } from '@questboard/pg-read-pipeline'
import { invalidToken, tokenRequired } from '../errors.ts'
import type { Caller } from './caller.ts'
import { findToken, type TokenRow } from './server-tokens.queries.ts'
import { type Headers, misplaced, tokenOf } from './token-headers.ts'
import { isWellFormedToken } from '../secrets/token-format.ts'

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
      const row = await findToken(reader, token)
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
