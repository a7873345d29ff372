import type { FastifyRequest } from 'fastify'
import { notFound } from '../identity/api-error.ts'
import { readName } from '../identity/read-body.ts'
import type { SessionRecord } from '../identity/session.queries.ts'
import { requireFreshSession, requireSession } from '../identity/session.ts'
import type { SignIn } from '../identity/sign-in.ts'
import { askedBy } from '../identity/with-account.ts'
import type { App } from '../oauth/app.queries.ts'
import { requireApp } from '../oauth/apps.ts'

type AppRequest = FastifyRequest<{ Params: { id: string } }>

interface OwnApp {
  app: App
  /** Changes it in the name of the session that asks. */
  asked: SignIn
}

/** The app that a path names, for its owner. @throws ApiError: somebody else's app is answered as one that does not exist */
export const ownApp = async (signIn: SignIn, request: AppRequest): Promise<OwnApp> =>
  appOf(signIn, request, await requireSession(signIn, request))

/** The same, for what cannot be taken back. @throws ApiError fresh_sign_in_required */
export const ownAppFresh = async (signIn: SignIn, request: AppRequest): Promise<OwnApp> =>
  appOf(signIn, request, await requireFreshSession(signIn, request))

async function appOf(signIn: SignIn, request: AppRequest, session: SessionRecord): Promise<OwnApp> {
  const app = await requireApp(signIn, readName(request.params.id, 'App'))
  if (app.ownerAccountId !== session.accountId) throw notFound('App')
  return { app, asked: askedBy(signIn, request, session) }
}
