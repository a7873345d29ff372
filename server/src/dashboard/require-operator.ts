import type { FastifyRequest } from 'fastify'
import { isOperator } from '../identity/account.queries.ts'
import { operatorRequired } from '../identity/api-error.ts'
import { requireFreshSession, requireSession } from '../identity/session.ts'
import type { SignIn } from '../identity/sign-in.ts'
import type { AskingSession } from '../identity/with-account.ts'

/**
 * For decisions about what others do in users' names. @returns the session
 * @throws ApiError sign_in_required, permission_denied, fresh_sign_in_required
 */
export async function requireFreshOperator(signIn: SignIn, request: FastifyRequest): Promise<AskingSession> {
  await requireOperator(signIn, request)
  return requireFreshSession(signIn, request)
}

/**
 * For what only accounts may do that `questboard operator grant` made operators. @returns the account
 * @throws ApiError sign_in_required, permission_denied
 */
export async function requireOperator(signIn: SignIn, request: FastifyRequest): Promise<string> {
  const { accountId } = await requireSession(signIn, request)
  if (!(await isOperator(signIn.database.kysely, accountId))) throw operatorRequired()
  return accountId
}
