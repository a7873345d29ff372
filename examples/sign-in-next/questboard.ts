import { createSignIn, type SignIn } from '@questboard/client'

/** Who is signed in, as the session cookie has it. */
export interface User {
  address: string
}

export function signIn(): SignIn {
  return createSignIn({
    baseUrl: process.env.QUESTBOARD_URL ?? 'http://localhost:4000',
    clientId: setting('CLIENT_ID'),
    clientSecret: setting('CLIENT_SECRET'),
    redirectUri: process.env.REDIRECT_URI ?? 'http://localhost:3000/callback',
    scope: ['EVMAddress'],
  })
}

function setting(name: string): string {
  const value = process.env[name]
  if (!value) throw new Error(`${name} is not set: docs/oauth.md says how to get a client`)
  return value
}
