import { createServer } from 'node:http'
import express, { type Express } from 'express'
import { createSignIn, type SignIn } from '@questboard/client'
import { examplePort, needed, run } from '../run.ts'
import { signInRoutes, userOf } from './sign-in.ts'

/** An app whose only page greets the user. */
export function createApp(signIn: SignIn, options = { secure: true }): Express {
  const app = express()
  app.use(signInRoutes(signIn, options))
  app.get('/', async (request, response) => {
    const user = await userOf(signIn, request)
    response.type('text').send(user ? `Hello ${user.EVMAddress ?? 'stranger'}` : 'Please sign in at /sign-in')
  })
  return app
}

if (import.meta.main) {
  const port = examplePort()
  const { CLIENT_ID, CLIENT_SECRET } = needed('CLIENT_ID', 'CLIENT_SECRET')
  const signIn = createSignIn({
    baseUrl: process.env.QUESTBOARD_URL ?? 'http://localhost:4000',
    clientId: CLIENT_ID,
    clientSecret: CLIENT_SECRET,
    redirectUri: `http://localhost:${port}/callback`,
    scope: ['EVMAddress'],
  })
  run(createServer(createApp(signIn, { secure: false })), port)
}
