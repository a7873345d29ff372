import type { FastifyInstance } from 'fastify'
import {
  createIngestToken,
  type IssuedIngestToken,
  listIngestTokens,
  regenerateIngestToken,
  revokeIngestToken,
} from '../access/ingest-tokens.ts'
import type { IngestTokenRecord } from '../access/ingest-tokens.queries.ts'
import { isOperator } from '../identity/account.queries.ts'
import { operatorRequired } from '../identity/api-error.ts'
import { checkCsrf } from '../identity/csrf.ts'
import { readBody } from '../identity/read-body.ts'
import { requireSession } from '../identity/session.ts'
import type { SignIn } from '../identity/sign-in.ts'
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
export function registerIngestTokens(scope: FastifyInstance, signIn: SignIn): void {
  scope.get(kind.path, ingestTokenOperations.list, async (request) => {
    const { accountId } = await requireSession(signIn, request)
    return { tokens: await listIngestTokens(signIn.database, accountId) }
  })

  scope.post(kind.path, ingestTokenOperations.create, async (request, reply) => {
    checkCsrf(signIn, request)
    await requireSession(signIn, request)
    const { name, spaces, starboards, credentials, expiresAt } = readBody(newIngestToken, request.body)
    const issued = await makeToken(signIn, request, kind, async (within, accountId) => {
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

  registerOwnTokens(scope, signIn, kind, view)
}

const view = ({ token, record }: IssuedIngestToken) => ({ token, ...record })
