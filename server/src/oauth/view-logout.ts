import type { FastifyRequest } from 'fastify'
import { ApiError } from '../errors.ts'
import { viewAccount } from '../sessions/session-view.ts'
import type { Services } from '../services.ts'
import { sessionOf } from '../sessions/session.ts'
import { OauthError } from './errors.ts'
import { readLogoutRequest } from './logout-request.ts'
import type { Parameters } from './parameters.ts'

/** `GET /api/sign-out`: the content of the sign-out page. @throws ApiError invalid_argument */
export async function viewLogout(services: Services, request: FastifyRequest, query: Parameters) {
  const { app, redirect } = await readLogoutRequest(services, query).catch((error: unknown) => {
    // The developer of the app needs the exact reason, so this error has no fault with a general text.
    throw error instanceof OauthError ? new ApiError('invalid_argument', error.message) : error
  })
  const session = await sessionOf(services, request)
  return {
    app: app
      ? { clientId: app.clientId, name: app.name, logo: app.hasLogo ? `/app-logos/${app.clientId}` : null }
      : null,
    account: session ? await viewAccount(services, session.accountId) : null,
    redirect: redirect ?? null,
  }
}
