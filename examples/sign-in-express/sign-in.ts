import { type Request, Router } from 'express'
import { OAuthError, type SignIn, type UserData } from '@questboard/client'
import { readIdToken } from '@questboard/client/logout'
import { endSession, sessionOf, startSession } from './sessions.ts'

/** The routes of a sign-in: GET /sign-in, GET /callback, POST /sign-out. */
export function signInRoutes(signIn: SignIn, { secure }: { secure: boolean }): Router {
  const routes = Router()

  routes.get('/sign-in', async (request, response) => {
    endSession(request)
    const { url, attempt } = await signIn.begin()
    startSession(response, { attempt }, secure)
    response.redirect(url)
  })

  routes.get('/callback', async (request, response) => {
    const attempt = sessionOf(request)?.attempt
    endSession(request)
    try {
      const tokens = await signIn.finish(request.url, attempt)
      const names = tokens.idToken === undefined ? undefined : readIdToken(tokens)
      startSession(response, { tokens, names }, secure)
      response.redirect('/')
    } catch (error) {
      if (!(error instanceof OAuthError)) throw error
      if (error.code === 'access_denied') response.redirect('/')
      else response.status(400).type('text').send('The sign-in did not work. Please try again.')
    }
  })

  routes.post('/sign-out', (request, response) => {
    endSession(request)
    response.redirect(303, '/')
  })

  return routes
}

/** The identities of the user who is signed in, or undefined. */
export async function userOf(signIn: SignIn, request: Request): Promise<UserData | undefined> {
  const session = sessionOf(request)
  if (!session?.tokens) return undefined
  const user = signIn.session(session.tokens, (tokens) => {
    session.tokens = tokens
  })
  try {
    return await signIn.userData(await user.accessToken())
  } catch (error) {
    // Taken back by the user, or expired: they are simply not signed in any more.
    if (!(error instanceof OAuthError) || !['invalid_token', 'invalid_grant'].includes(error.code)) throw error
    endSession(request)
    return undefined
  }
}
