import type { FastifyRequest } from 'fastify'
import { isOperator } from '../accounts/account.queries.ts'
import { operatorRequired } from '../api/api-error.ts'
import { requireFreshSession, requireSession } from '../sessions/session.ts'
import type { Services } from '../services.ts'
import type { AskingSession } from '../sessions/with-account.ts'

/**
 * For decisions about what others do in users' names. @returns the session
 * @throws ApiError sign_in_required, permission_denied, fresh_sign_in_required
 */
export async function requireFreshOperator(services: Services, request: FastifyRequest): Promise<AskingSession> {
  await requireOperator(services, request)
  return requireFreshSession(services, request)
}

/**
 * For what only accounts may do that `questboard operator grant` made operators. @returns the account
 * @throws ApiError sign_in_required, permission_denied
 */
export async function requireOperator(services: Services, request: FastifyRequest): Promise<string> {
  const { accountId } = await requireSession(services, request)
  if (!(await isOperator(services.database.kysely, accountId))) throw operatorRequired()
  return accountId
}
