import express, { type Express } from 'express'
import { createSignIn, type SignIn } from 'questboard-client'
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
  const port = Number(process.env.PORT ?? 3000)
  const signIn = createSignIn({
    baseUrl: process.env.QUESTBOARD_URL ?? 'http://localhost:4000',
    clientId: process.env.CLIENT_ID ?? '',
    clientSecret: process.env.CLIENT_SECRET ?? '',
    redirectUri: `http://localhost:${port}/callback`,
    scope: ['EVMAddress'],
  })
  createApp(signIn, { secure: false }).listen(port, () => console.log(`http://localhost:${port}`))
}
