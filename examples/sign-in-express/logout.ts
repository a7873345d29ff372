import express, { Router } from 'express'
import { OAuthError, verifyLogoutToken } from '@questboard/client/logout'
import { endSessionsOf } from './sessions.ts'

/** POST /backchannel-logout: Questboard calls it when a session of a user has ended there. */
export function logoutRoutes(service: { issuer: string; clientId: string }): Router {
  const routes = Router()

  routes.post('/backchannel-logout', express.urlencoded({ extended: false }), async (request, response) => {
    const { logout_token: token } = (request.body ?? {}) as { logout_token?: unknown }
    response.set('cache-control', 'no-store')
    try {
      endSessionsOf(await verifyLogoutToken(String(token), service))
      response.sendStatus(200)
    } catch (error) {
      if (!(error instanceof OAuthError)) throw error
      // Without the keys, nothing is known of the token: after 503, Questboard tries again.
      response.sendStatus(error.code === 'invalid_logout_token' ? 400 : 503)
    }
  })

  return routes
}
