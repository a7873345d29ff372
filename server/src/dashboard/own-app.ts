import type { FastifyRequest } from 'fastify'
import { notFound } from '../api/api-error.ts'
import { readName } from '../api/read-body.ts'
import type { SessionRecord } from '../sessions/session.queries.ts'
import { requireFreshSession, requireSession } from '../sessions/session.ts'
import type { Services } from '../services.ts'
import { askedBy } from '../sessions/with-account.ts'
import type { App } from '../oauth/app.queries.ts'
import { requireApp } from '../oauth/apps.ts'

type AppRequest = FastifyRequest<{ Params: { id: string } }>

interface OwnApp {
  app: App
  /** Changes it in the name of the session that asks. */
  asked: Services
}

/** The app that a path names, for its owner. @throws ApiError: somebody else's app is answered as one that does not exist */
export const ownApp = async (services: Services, request: AppRequest): Promise<OwnApp> =>
  appOf(services, request, await requireSession(services, request))

/** The same, for what cannot be taken back. @throws ApiError fresh_sign_in_required */
export const ownAppFresh = async (services: Services, request: AppRequest): Promise<OwnApp> =>
  appOf(services, request, await requireFreshSession(services, request))

async function appOf(services: Services, request: AppRequest, session: SessionRecord): Promise<OwnApp> {
  const app = await requireApp(services, readName(request.params.id, 'App'))
  if (app.ownerAccountId !== session.accountId) throw notFound('App')
  return { app, asked: askedBy(services, request, session) }
}
