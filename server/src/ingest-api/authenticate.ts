import type { FastifyRequest } from 'fastify'
import type { Dependencies } from '../services.ts'
import { findIngestToken, type IngestScope, isOperatorNow } from '../access/ingest-tokens.queries.ts'
import { hashOf } from '../secrets/hashes.ts'
import { isWellFormedToken } from '../secrets/token-format.ts'
import { LAST_USED_RESOLUTION } from '../lifetimes.ts'
import { invalidRequest, invalidToken, tokenRequired } from './ingest-error.ts'
import type { TokenUses } from './token-uses.ts'

export interface IngestCaller {
  tokenId: string
  accountId: string
  scope: IngestScope
}

/**
 * Looks up the token without a cache, so that a revoked token is rejected at once by all processes.
 * @throws TOKEN_REQUIRED, INVALID_TOKEN, or INVALID_ARGUMENT for two different values
 */
export async function authenticateIngest(
  { database, clock, uses }: Pick<Dependencies, 'database' | 'clock'> & { uses: TokenUses },
  request: FastifyRequest,
): Promise<IngestCaller> {
  const token = tokenOf(request)
  if (token === undefined) throw tokenRequired()
  if (isWellFormedToken('qbs', token)) throw invalidToken('this is a server token; use an ingest token (qbi_…)')
  if (!isWellFormedToken('qbi', token))
    throw invalidToken('malformed; an ingest token is qbi_ and 49 letters and digits')
  const record = await findIngestToken(database, hashOf(token))
  const now = clock.now()
  if (!record) throw invalidToken('unknown')
  if (record.revokedAt) throw invalidToken('revoked')
  if (record.suspendedAt) throw invalidToken('its account is suspended')
  if (record.expiresAt && record.expiresAt.getTime() <= now) throw invalidToken('expired')
  if (record.needsOperator && !(await isOperatorNow(database, record.accountId)))
    throw invalidToken('its account is no longer an operator')
  if (!record.lastUsedAt || now - record.lastUsedAt.getTime() >= LAST_USED_RESOLUTION)
    uses.note(record.tokenId, new Date(now))
  return { tokenId: record.tokenId, accountId: record.accountId, scope: record.scope }
}

/** Reads both headers; as in queries, two different values are rejected. */
function tokenOf({ headers }: FastifyRequest): string | undefined {
  const bearer = /^bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1]
  const values = new Set(
    [headers['access-token'], bearer].flat().filter((value) => value !== undefined && value !== ''),
  )
  if (values.size > 1) throw invalidRequest('The headers access-token and Authorization contain different tokens')
  return [...values][0]
}
