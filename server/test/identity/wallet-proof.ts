import type { LightMyRequestResponse } from 'fastify'
import { expect } from 'vitest'
import type { Browser } from '../support/oauth-browser.ts'

export interface WalletChallenge {
  id: string
  message: string
  signIn: { domain: string; statement: string; uri: string; version: string; chainId: string; nonce: string }
  flow: { appIdentifier: string; nonce: string }
}

export interface Ask {
  kind: string
  address?: string
  chainId?: number
  purpose?: 'sign-in' | 'link' | 'merge'
}

export async function challenge(browser: Browser, ask: Ask): Promise<WalletChallenge> {
  const response = await browser.call('POST', '/api/challenges', { purpose: 'sign-in', ...ask })
  expect(response.statusCode, response.body).toBe(201)
  return response.json<WalletChallenge>()
}

/** Requests a challenge and sends the proof that `sign` returns. */
export async function prove(
  browser: Browser,
  ask: Ask,
  sign: (challenge: WalletChallenge) => object | Promise<object>,
): Promise<LightMyRequestResponse> {
  const given = await challenge(browser, ask)
  return browser.call('POST', `/api/challenges/${given.id}/proof`, await sign(given))
}

interface Identity {
  kind: string
  subject: string
  username: string | null
}

/** The identities of the account after a successful proof. */
export function identitiesOf(response: LightMyRequestResponse): Identity[] {
  expect(response.statusCode, response.body).toBe(200)
  return response.json<{ account: { identities: Identity[] } }>().account.identities
}

export function expectRejected(response: LightMyRequestResponse, status: number, code: string): void {
  expect(response.json(), response.body).toMatchObject({ error: { code } })
  expect(response.statusCode).toBe(status)
  expect(response.cookies.some(({ name }) => name.endsWith('session'))).toBe(false)
}
