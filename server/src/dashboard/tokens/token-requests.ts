import type { FastifyInstance } from 'fastify'
import { KEPT_REQUESTS } from '../../access/request-log.ts'
import { lastRequests } from '../../access/request-log.queries.ts'
import { listServerTokens } from '../../access/server-tokens.ts'
import { route } from '../../api/route.ts'
import { notFound } from '../../errors.ts'
import type { Services } from '../../services.ts'
import { tokenDescriptions } from './token-route-descriptions.ts'

/** `/api/tokens/:id/requests`: the last requests of a token of the account. */
export function registerTokenRequests(scope: FastifyInstance, services: Services): void {
  route(scope, services, tokenDescriptions.requests, async ({ services: { database }, accountId, params }) => {
    const tokens = await listServerTokens(database, accountId)
    if (!tokens.some(({ tokenId }) => tokenId === params.id)) throw notFound('Token')
    return { requests: await lastRequests(database.kysely, params.id, KEPT_REQUESTS) }
  })
}
