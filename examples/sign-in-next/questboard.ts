import { createSignIn, type SignIn } from 'questboard-client'

/** Who is signed in, as the session cookie has it. */
export interface User {
  address: string
}

export function signIn(): SignIn {
  return createSignIn({
    baseUrl: process.env.QUESTBOARD_URL ?? 'http://localhost:4000',
    clientId: process.env.CLIENT_ID ?? '',
    clientSecret: process.env.CLIENT_SECRET ?? '',
    redirectUri: process.env.REDIRECT_URI ?? 'http://localhost:3000/callback',
    scope: ['EVMAddress'],
  })
}
