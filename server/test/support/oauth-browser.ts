import type { FastifyInstance, LightMyRequestResponse } from 'fastify'
import { type TestWallet, testWallet } from './oauth-wallet.ts'

export interface Browser {
  cookies: Map<string, string>
  get(url: string, headers?: Record<string, string>): Promise<LightMyRequestResponse>
  /** Calls the JSON API with the CSRF token of the cookies. */
  call(method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', url: string, body?: unknown): Promise<LightMyRequestResponse>
  csrfToken(): Promise<string>
  send(options: {
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
    url: string
    headers?: Record<string, string>
    body?: unknown
  }): Promise<LightMyRequestResponse>
}

/** A browser that keeps cookies and acts like the scripts of the pages. */
export function openBrowser(fastify: FastifyInstance, address = '192.0.2.1'): Browser {
  const cookies = new Map<string, string>()
  const browser: Browser = {
    cookies,
    async send({ method, url, headers = {}, body }) {
      const response = await fastify.inject({
        method,
        url,
        remoteAddress: address,
        headers: { ...headers, cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
        ...(body !== undefined && { payload: body as object }),
      })
      for (const cookie of response.cookies)
        if (cookie.value === '' || cookie.maxAge === 0) cookies.delete(cookie.name)
        else cookies.set(cookie.name, cookie.value)
      return response
    },
    get: (url, headers = {}) =>
      browser.send({ method: 'GET', url, headers: { 'sec-fetch-site': 'same-origin', ...headers } }),
    async csrfToken() {
      const response = await browser.get('/api/session')
      return response.json<{ csrfToken: string }>().csrfToken
    },
    async call(method, url, body) {
      return browser.send({ method, url, headers: { 'x-csrf-token': await browser.csrfToken() }, body })
    },
  }
  return browser
}

/** Signs in with an EVM wallet like the page; a new wallet gets an account. */
export async function signInWithWallet(browser: Browser, wallet: TestWallet = testWallet()): Promise<Account> {
  const challenge = await browser.call('POST', '/api/challenges', {
    kind: 'EVMAddress',
    purpose: 'sign-in',
    address: wallet.address,
  })
  const { id, message } = challenge.json<{ id: string; message: string }>()
  const proof = await browser.call('POST', `/api/challenges/${id}/proof`, { signature: wallet.sign(message) })
  if (proof.statusCode !== 200) throw new Error(`the sign-in failed: ${proof.body}`)
  const { account } = proof.json<{ account: { id: string; username: string } }>()
  return { ...account, wallet }
}

export interface Account {
  id: string
  username: string
  wallet: TestWallet
}
