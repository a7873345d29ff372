import type { FastifyRequest } from 'fastify'
import { notFound } from '../identity/api-error.ts'
import { readName } from '../identity/read-body.ts'
import { requireSession } from '../identity/session.ts'
import type { SignIn } from '../identity/sign-in.ts'
import { askedBy } from '../identity/with-account.ts'
import type { App } from '../oauth/app.queries.ts'
import { requireApp } from '../oauth/apps.ts'

/**
 * The app that a path names, for its owner, and what changes it in the name of the session that asks.
 * @throws ApiError: somebody else's app is answered as one that does not exist
 */
export async function ownApp(
  signIn: SignIn,
  request: FastifyRequest<{ Params: { id: string } }>,
): Promise<{ app: App; asked: SignIn }> {
  const session = await requireSession(signIn, request)
  const app = await requireApp(signIn, readName(request.params.id, 'App'))
  if (app.ownerAccountId !== session.accountId) throw notFound('App')
  return { app, asked: askedBy(signIn, session) }
}
