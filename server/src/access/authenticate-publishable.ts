import { createHash } from 'node:crypto'
import type { Reader } from '@questboard/pg-read-pipeline'
import type { Clock } from '../clock.ts'
import { invalidToken, malformedPublishableToken } from '../errors.ts'
import { isWellFormedToken } from '../secrets/token-format.ts'
import type { Caller, NetworkShare } from './caller.ts'
import { refusalReason } from './authenticate-server-token.ts'
import { findPublishableToken, type PublishableTokenRow } from './server-tokens.queries.ts'

/** A publishable token that a request has brought. */
export interface PublishableToken {
  tokenId: string
  /** The origins whose pages can use it. */
  origins: readonly string[]
  /** The caller, once the origin is allowed. */
  callerFrom: (network: string) => Caller
}

export interface PublishableAuthenticator {
  /** @throws INVALID_TOKEN */
  authenticate(token: string): Promise<PublishableToken>
}

/** An account without objects, so that private objects of the owner of the token are not readable. */
const NIL_UUID = '00000000-0000-0000-0000-000000000000'

export function createPublishableAuthenticator(reader: Reader, clock: Clock): PublishableAuthenticator {
  return {
    async authenticate(token) {
      if (!isWellFormedToken('qbp', token)) throw malformedPublishableToken()
      const row = await findPublishableToken(reader, token)
      const refused = refusalReason(row, clock.now())
      if (refused || !row) throw invalidToken(refused ?? 'unknown')
      return { tokenId: row.token_id, origins: row.origins, callerFrom: (network) => callerOf(row, network) }
    },
  }
}

const callerOf = (row: PublishableTokenRow, network: string): Caller => ({
  tokenId: row.token_id,
  accountId: NIL_UUID,
  areas: row.areas,
  perSecond: row.per_second,
  perDay: row.per_day,
  publishable: { spaces: row.space_ids, network: shareOf(row, network) },
})

/** For plans without a limit. */
export const MAX_PER_SECOND = 100

/** One network gets half of each limit, so that one visitor cannot use up the limits of a page. */
function shareOf({ token_id, per_second, per_day }: PublishableTokenRow, network: string): NetworkShare {
  return {
    id: uuidOf(`${token_id} ${network}`),
    perSecond: per_second === null ? MAX_PER_SECOND : Math.ceil(per_second / 2),
    perDay: per_day === null ? null : Math.ceil(per_day / 2),
  }
}

/** A UUID of version 8 (RFC 9562), because quota windows are named by UUIDs. */
function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
