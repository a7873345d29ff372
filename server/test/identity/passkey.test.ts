import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Browser, openBrowser, signInWithWallet } from '../support/oauth-browser.ts'
import { type PasskeyOptions, testPasskey } from '../support/oauth-passkey.ts'
import { type SignInService, startSignIn } from '../support/oauth-service.ts'

let service: SignInService
beforeAll(async () => {
  service = await startSignIn({ checkAnswers: true })
})
afterAll(() => service.close())

const real: PasskeyOptions = { origin: 'https://id.questboard.test', rpId: 'id.questboard.test' }

interface Challenge {
  id: string
  webauthn: { request: { challenge: string }; creation: { challenge: string; user: { name: string } } }
}

async function challengeOf(browser: Browser, purpose: 'sign-in' | 'link' = 'sign-in'): Promise<Challenge> {
  const response = await browser.call('POST', '/api/challenges', { kind: 'ServiceID', purpose })
  expect(response.statusCode).toBe(201)
  return response.json<Challenge>()
}

const answer = (browser: Browser, challenge: Challenge, proof: unknown) =>
  browser.call('POST', `/api/challenges/${challenge.id}/proof`, proof)

async function register(browser: Browser, options = real) {
  const passkey = testPasskey(options)
  const challenge = await challengeOf(browser)
  return { passkey, response: await answer(browser, challenge, passkey.register(challenge.webauthn.creation)) }
}

interface SessionView {
  account: { id: string; username: string; passkeys: unknown[] } | null
}

test('creates an account with a new passkey, which signs in from another browser', async () => {
  const { passkey, response } = await register(openBrowser(service.fastify))
  expect(response.statusCode).toBe(200)
  const { account } = response.json<SessionView>()
  expect(account?.passkeys).toHaveLength(1)

  const other = openBrowser(service.fastify)
  const challenge = await challengeOf(other)
  const signedIn = await answer(other, challenge, passkey.authenticate(challenge.webauthn.request))
  expect(signedIn.json<SessionView>().account?.id).toBe(account?.id)
})

test('links a passkey to an account of a wallet', async () => {
  const browser = openBrowser(service.fastify)
  const account = await signInWithWallet(browser)
  const passkey = testPasskey(real)
  const challenge = await challengeOf(browser, 'link')
  expect(challenge.webauthn.creation.user.name).toBe(account.username)
  const linked = await answer(browser, challenge, passkey.register(challenge.webauthn.creation))
  expect(linked.json<SessionView>().account).toMatchObject({ id: account.id, passkeys: [{}] })
})

describe('rejects', () => {
  test.each<[string, PasskeyOptions]>([
    ['made at another origin', { ...real, origin: 'https://id.questboard.test.evil.example' }],
    ['made for another relying party', { ...real, rpId: 'questboard.test.evil.example' }],
    ['without user verification', { ...real, flags: 0x01 }],
    ['without user presence', { ...real, flags: 0x04 }],
  ])('a passkey %s', async (_, options) => {
    const browser = openBrowser(service.fastify)
    const { response } = await register(browser, options)
    expect(response.statusCode).toBe(401)
    expect(response.json()).toMatchObject({ error: { code: 'bad_signature' } })
    expect((await browser.get('/api/session')).json<SessionView>().account).toBeNull()
  })

  test('a response to another challenge', async () => {
    const browser = openBrowser(service.fastify)
    const first = await challengeOf(browser)
    const second = await challengeOf(browser)
    const response = await answer(browser, second, testPasskey(real).register(first.webauthn.creation))
    expect(response.statusCode).toBe(401)
  })

  test('an unknown passkey', async () => {
    const browser = openBrowser(service.fastify)
    const challenge = await challengeOf(browser)
    const response = await answer(browser, challenge, testPasskey(real).authenticate(challenge.webauthn.request))
    expect(response.statusCode).toBe(401)
  })

  test.each([{}, { credential: 5 }, { credential: { id: 'a', rawId: 'a', type: 'public-key', response: {} } }])(
    'an invalid proof: %j',
    async (proof) => {
      const browser = openBrowser(service.fastify)
      const response = await answer(browser, await challengeOf(browser), proof)
      expect(response.statusCode).toBe(400)
    },
  )
})
