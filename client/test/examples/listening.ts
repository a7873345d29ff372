import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createSignIn, type Scope, type SignIn } from '@questboard/client'
import type { Browser } from '../../../server/test/support/oauth-browser.ts'
import { requestIdOf, type TestApp } from '../../../server/test/support/oauth-flow.ts'
import type { SignInService } from '../../../server/test/support/oauth-service.ts'

/** Waits until an example listens, and returns its URL. */
export async function urlOf(server: Server): Promise<string> {
  if (!server.listening) await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

export async function close(server: Server | undefined): Promise<void> {
  server?.closeAllConnections()
  server?.close()
}

export function signInOf(service: SignInService, app: TestApp, scope: readonly Scope[] = ['EVMAddress']): SignIn {
  return createSignIn({
    baseUrl: service.issuer,
    clientId: app.clientId,
    clientSecret: app.secret,
    redirectUri: app.redirectUri,
    scope,
  })
}

/** Acts like the user on the service's pages; returns the path of the app's callback. */
export async function decide(
  browser: Browser,
  location: string,
  decision: 'allow' | 'deny' = 'allow',
): Promise<string> {
  const { pathname, search } = new URL(location)
  const started = await browser.get(pathname + search)
  let back = String(started.headers.location)
  if (!back.includes('state=')) {
    const decided = await browser.call('POST', `/api/authorizations/${requestIdOf(started)}`, { decision })
    back = decided.json<{ redirect: string }>().redirect
  }
  const callback = new URL(back)
  return callback.pathname + callback.search
}

export interface Answer {
  status: number
  location: string
  text: string
}

/** A visitor of an example: keeps cookies, follows no redirect. */
export interface Visitor {
  cookies: Map<string, string>
  send: (path: string, method?: 'GET' | 'POST') => Promise<Answer>
}

export function visitor(url: string): Visitor {
  const cookies = new Map<string, string>()
  async function send(path: string, method = 'GET'): Promise<Answer> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(url + path, { method, redirect: 'manual', headers: { cookie } })
    for (const one of response.headers.getSetCookie()) {
      const [name, value] = (one.split(';')[0] as string).split('=') as [string, string]
      cookies.set(name, value)
    }
    const { status, headers } = response
    return { status, location: headers.get('location') ?? '', text: await response.text() }
  }
  return { cookies, send }
}

/** A port that is free now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, 'localhost')
  const url = await urlOf(server)
  await close(server)
  return Number(new URL(url).port)
}
