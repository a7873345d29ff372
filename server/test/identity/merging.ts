import { expect } from 'vitest'
import type { LightMyRequestResponse } from 'fastify'
import { type Browser, openBrowser, signInWithWallet } from '../support/oauth-browser.ts'
import type { SignedIn } from '../support/oauth-flow.ts'
import type { SignInService } from '../support/oauth-service.ts'
import type { TestWallet } from '../support/oauth-wallet.ts'
import { prove } from './wallet-proof.ts'

/** A merge that waits for its confirmation. */
export interface Offer {
  id: string
  into: { id: string; username: string }
  from: { id: string; username: string; [belongings: string]: unknown }
}

export interface View {
  account: { id: string; username: string; operator: boolean; identities: { kind: string; subject: string }[] } | null
}

export async function signIn(service: SignInService): Promise<SignedIn> {
  const browser = openBrowser(service.fastify)
  return { browser, account: await signInWithWallet(browser) }
}

/** Proves the account of a wallet in the browser of the account that remains. */
export const proveForMerge = (by: Browser, wallet: TestWallet): Promise<LightMyRequestResponse> =>
  prove(by, { kind: 'EVMAddress', address: wallet.address, purpose: 'merge' }, ({ message }) => ({
    signature: wallet.sign(message),
  }))

export async function offerOf(by: Browser, wallet: TestWallet): Promise<Offer> {
  const response = await proveForMerge(by, wallet)
  expect(response.statusCode, response.body).toBe(200)
  return response.json<{ merge: Offer }>().merge
}

export const confirm = (by: Browser, id: string) => by.call('POST', `/api/merges/${id}`)
export const viewOf = async (by: Browser) => (await by.get('/api/session')).json<View>().account
export const subjects = async (by: Browser) => (await viewOf(by))?.identities.map(({ subject }) => subject)
