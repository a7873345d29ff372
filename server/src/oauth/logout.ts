import type { FastifyReply, FastifyRequest } from 'fastify'
import { authorizationsByNetwork } from '../rate-limits/limits.ts'
import type { Services } from '../services.ts'
import { endSession, sessionOf } from '../sessions/session.ts'
import { asPageError, limitRequests, readQueryForPage } from './authorize.ts'
import { queryOf } from './http.ts'
import { readLogoutRequest } from './logout-request.ts'

/** The parameters for the confirmation page. They are checked again when the user confirms. */
const CONFIRMATION_PARAMETERS = ['client_id', 'post_logout_redirect_uri', 'state']

/**
 * `GET /oauth/logout` (OpenID Connect RP-Initiated Logout 1.0). Returns the URL to redirect to. The session ends at once
 * only if the `id_token_hint` names the account that is signed in. Otherwise the user must confirm on a page, so that a
 * link on a foreign site cannot end a session. @throws RequestPageError
 */
export async function logOut(services: Services, request: FastifyRequest, reply: FastifyReply): Promise<string> {
  await limitRequests(services, request, authorizationsByNetwork)
  const query = readQueryForPage(queryOf(request))
  const { app, hintedAccountId, redirect } = await readLogoutRequest(services, query).catch((error: unknown) => {
    throw asPageError(error)
  })
  const session = await sessionOf(services, request)
  const isConfirmed = session !== undefined && session.accountId === hintedAccountId
  if (isConfirmed) await endSession(services, request, reply)
  const page = `${services.site.issuer}/sign-out`
  if (!session || isConfirmed) return redirect ?? page
  const named = [...query].filter(([name]) => CONFIRMATION_PARAMETERS.includes(name))
  if (app && !query.has('client_id')) named.push(['client_id', app.clientId])
  return named.length === 0 ? page : `${page}?${new URLSearchParams(named).toString()}`
}
