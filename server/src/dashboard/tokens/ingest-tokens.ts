import type { FastifyInstance } from 'fastify'
import {
  createIngestToken,
  type IssuedIngestToken,
  listIngestTokens,
  regenerateIngestToken,
  revokeIngestToken,
} from '../../access/ingest-tokens.ts'
import type { IngestTokenRecord } from '../../access/ingest-tokens.queries.ts'
import { isOperator } from '../../accounts/account.queries.ts'
import { operatorRequired } from '../../errors.ts'
import { route } from '../../api/route.ts'
import type { Services } from '../../services.ts'
import { ingestTokenDescriptions } from './token-route-descriptions.ts'
import { makeToken, registerOwnTokens, type TokenKind } from './own-tokens.ts'

const kind: TokenKind<IngestTokenRecord> = {
  event: 'ingest-token',
  dailyQuota: false,
  needsFreshSignIn: ({ scope }) => Object.values(scope).includes(null),
  operations: ingestTokenDescriptions,
  list: ({ database }, accountId) => listIngestTokens(database, accountId),
  async regenerate(within, tokenId) {
    const issued = await regenerateIngestToken(within, tokenId)
    const { needsOperator, accountId } = issued.record
    if (needsOperator && !(await isOperator(within.database.kysely, accountId))) throw operatorRequired()
    return issued
  },
  revoke: revokeIngestToken,
}

/** `/api/ingest-tokens` (docs/ingest.md). Operators can choose any scope, other accounts only objects that they own. */
export function registerIngestTokens(scope: FastifyInstance, services: Services): void {
  route(scope, services, ingestTokenDescriptions.list, async ({ accountId }) => {
    return { tokens: await listIngestTokens(services.database, accountId) }
  })

  route(scope, services, ingestTokenDescriptions.create, async (call) => {
    const { name, spaces, starboards, credentials, expiresAt } = call.body
    const issued = await makeToken(call, kind, async (within, accountId) => {
      const operator = await isOperator(within.database.kysely, accountId)
      return createIngestToken(within, {
        accountId,
        name,
        ...(spaces && { spaces }),
        ...(starboards && { starboards }),
        ...(credentials && { credentials }),
        ...(expiresAt !== undefined && { expiresAt: new Date(expiresAt) }),
        ownedOnly: !operator,
        needsOperator: operator,
      })
    })
    return view(issued)
  })

  registerOwnTokens(scope, services, kind, view)
}

const view = ({ token, record }: IssuedIngestToken) => ({ token, ...record })
