import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { challenge, type WalletChallenge } from '../../identity/wallet-proof.ts'
import { type Browser, openBrowser, signInWithWallet } from '../../support/oauth-browser.ts'
import {
  approvedApp,
  authorizeUrl,
  countRows,
  redeemCode,
  requestIdOf,
  type TestApp,
} from '../../support/oauth-flow.ts'
import { ISSUER, type SignInService, startSignIn } from '../../support/oauth-service.ts'
import { testWallet } from '../../support/oauth-wallet.ts'
import { type FlowNode, startFlowNode } from '../../identity/upstreams/flow-node.ts'

let service: SignInService
let node: FlowNode
let good: TestApp
let evil: TestApp
let browser: Browser
beforeAll(async () => {
  node = await startFlowNode()
  service = await startSignIn({ settings: { QUESTBOARD_FLOW_NODE: node.url } })
  good = await approvedApp(service, { name: 'Good App' })
  evil = await approvedApp(service, { name: 'Evil App', redirectUris: ['https://evil.example/callback'] })
})
beforeEach(() => {
  service.clock.advance(61_000)
  browser = openBrowser(service.fastify)
})
afterAll(async () => {
  await Promise.all([service.close(), node.close()])
})

interface Pending {
  app: { name: string; clientId: string; returnsTo: string }
  account: { id: string } | null
}
const pending = async (id: string) => (await browser.get(`/api/authorizations/${id}`)).json<Pending>()
const begin = async (app: TestApp) => requestIdOf(await browser.get(authorizeUrl(app)))

describe('attack 89: sign-in and consent', () => {
  const wallets: [kind: string, address: string][] = [
    ['EVMAddress', testWallet().address],
    ['SeiAddress', testWallet().address],
    ['InjectiveAddress', testWallet().address],
    ['SolanaAddress', '2EZEiBdw47VHT6SpZSW9VnuSvBe7DxuYHBTxj19gxvv8'],
    ['AptosAddress', `0x${'ab'.repeat(32)}`],
    ['FlowAddress', '0x1654653399040a61'],
  ]
  test.each(wallets)('%s: signs a text with site and kind, but without the app', async (kind, address) => {
    await begin(evil)
    const given: WalletChallenge = await challenge(browser, { kind, address })
    expect(given.message.split('\n')[0]).toMatch(/^id\.questboard\.test wants you to sign in with your \w+ account:$/)
    const statement = `Sign in to Questboard with this ${kind.replace('Address', ' wallet')}.`
    expect(given.message).toContain(statement)
    expect(given.message).toContain(`URI: ${ISSUER}`)
    expect(given.message).not.toMatch(/evil|resources/i)
    if (given.signIn) {
      expect(given.signIn).toMatchObject({ domain: 'id.questboard.test', uri: ISSUER })
      expect(given.signIn.statement).toBe(statement)
    }
    if (given.flow) expect(given.flow.appIdentifier).toBe('id.questboard.test')
  })

  test('requires consent on the page of the app after signing in', async () => {
    const request = await begin(evil)
    expect(await pending(request)).toMatchObject({
      app: { name: 'Evil App', returnsTo: 'evil.example' },
      account: null,
    })
    const before = await countRows(service)
    const account = await signInWithWallet(browser)
    const after = await countRows(service)
    for (const table of ['authorization_codes', 'grants', 'access_tokens', 'consents'])
      expect(after[table], table).toBe(before[table])
    expect(await pending(request)).toMatchObject({ app: { name: 'Evil App' }, account: { id: account.id } })
  })

  test('binds each of two requests in one browser to its app', async () => {
    const forGood = await begin(good)
    const forEvil = await begin(evil)
    await signInWithWallet(browser)
    expect((await pending(forGood)).app.name).toBe('Good App')
    expect((await pending(forEvil)).app.name).toBe('Evil App')
    const decided = await browser.call('POST', `/api/authorizations/${forGood}`, { decision: 'allow', identities: {} })
    const redirect = new URL(decided.json<{ redirect: string }>().redirect)
    expect(redirect.origin + redirect.pathname).toBe(good.redirectUri)
    const code = redirect.searchParams.get('code') as string
    expect((await redeemCode(service, evil, code)).statusCode).toBe(400)
    expect((await redeemCode(service, good, code)).statusCode).toBe(200)
    expect((await pending(forEvil)).account).not.toBeNull()
  })

  test('does not contain the name of the app in the page, which loads it as text from the API', async () => {
    const request = await begin(evil)
    const page = await browser.get(`/authorize/${request}`)
    expect(page.statusCode).toBe(200)
    expect(page.body).not.toContain('Evil App')
  })
})
