import type { FastifyInstance } from 'fastify'
import {
  createIngestToken,
  type IssuedIngestToken,
  listIngestTokens,
  regenerateIngestToken,
  revokeIngestToken,
} from '../access/ingest-tokens.ts'
import type { IngestTokenRecord } from '../access/ingest-tokens.queries.ts'
import { isOperator } from '../accounts/account.queries.ts'
import { operatorRequired } from '../api/api-error.ts'
import { checkCsrf } from '../sessions/csrf.ts'
import { readBody } from '../api/read-body.ts'
import { requireSession } from '../sessions/session.ts'
import type { Services } from '../services.ts'
import { ingestTokenOperations } from './operations.ts'
import { makeToken, registerOwnTokens, type TokenKind } from './own-tokens.ts'
import { newIngestToken } from './request-shapes.ts'

const kind: TokenKind<IngestTokenRecord> = {
  path: '/api/ingest-tokens',
  event: 'ingest-token',
  dailyQuota: false,
  needsFreshSignIn: ({ scope }) => Object.values(scope).includes(null),
  operations: ingestTokenOperations,
  list: ({ database }, accountId) => listIngestTokens(database, accountId),
  async regenerate(within, tokenId) {
    const issued = await regenerateIngestToken(within, tokenId)
    const { needsOperator, accountId } = issued.record
    if (needsOperator && !(await isOperator(within.database.kysely, accountId))) throw operatorRequired()
    return issued
  },
  revoke: revokeIngestToken,
}

/**
 * `/api/ingest-tokens`: tokens with which the account's own systems write (docs/ingest.md). An operator gives them any
 * scope, anybody else what the account owns.
 */
export function registerIngestTokens(scope: FastifyInstance, services: Services): void {
  scope.get(kind.path, ingestTokenOperations.list, async (request) => {
    const { accountId } = await requireSession(services, request)
    return { tokens: await listIngestTokens(services.database, accountId) }
  })

  scope.post(kind.path, ingestTokenOperations.create, async (request, reply) => {
    checkCsrf(services, request)
    await requireSession(services, request)
    const { name, spaces, starboards, credentials, expiresAt } = readBody(newIngestToken, request.body)
    const issued = await makeToken(services, request, kind, async (within, accountId) => {
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
    return reply.code(201).send(view(issued))
  })

  registerOwnTokens(scope, services, kind, view)
}

const view = ({ token, record }: IssuedIngestToken) => ({ token, ...record })
