import { createServer } from 'node:http'
import express, { type Express } from 'express'
import { createSignIn, type SignIn } from '@questboard/client'
import { examplePort, needed, run } from '../run.ts'
import { logoutRoutes } from './logout.ts'
import { signInRoutes, userOf } from './sign-in.ts'

/** An app whose only page greets the user. */
export function createApp(signIn: SignIn, options: { issuer: string; clientId: string; secure: boolean }): Express {
  const app = express()
  app.use(signInRoutes(signIn, options), logoutRoutes(options))
  app.get('/', async (request, response) => {
    const user = await userOf(signIn, request)
    response.type('text').send(user ? `Hello ${user.EVMAddress ?? 'stranger'}` : 'Please sign in at /sign-in')
  })
  return app
}

if (import.meta.main) {
  const port = examplePort()
  const { CLIENT_ID, CLIENT_SECRET } = needed('CLIENT_ID', 'CLIENT_SECRET')
  const baseUrl = process.env.QUESTBOARD_URL ?? 'http://localhost:4000'
  const signIn = createSignIn({
    baseUrl,
    clientId: CLIENT_ID,
    clientSecret: CLIENT_SECRET,
    redirectUri: `http://localhost:${port}/callback`,
    scope: ['EVMAddress', 'openid'],
  })
  run(createServer(createApp(signIn, { issuer: baseUrl, clientId: CLIENT_ID, secure: false })), port)
}
