import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  approvedApp,
  authorizeUrl,
  codeFor,
  pkcePair,
  postForm,
  redeemCode,
  signedInBrowser,
  type SignedIn,
  type TestApp,
  TOKEN_URL,
} from '../../support/oauth-flow.ts'
import { refused } from '../../support/oauth-refusals.ts'
import { type SignInService, startSignIn } from '../../support/oauth-service.ts'

let service: SignInService
let app: TestApp
let user: SignedIn
beforeAll(async () => {
  service = await startSignIn()
  app = await approvedApp(service)
  user = await signedInBrowser(service)
})
afterAll(() => service.close())

test('attack 28: rejects a redemption without the verifier of its challenge', async () => {
  for (const verifier of [undefined, '']) {
    const code = await codeFor(user.browser, app, {
      code_challenge: pkcePair().challenge,
      code_challenge_method: 'S256',
    })
    refused(await redeemCode(service, app, code, { code_verifier: verifier }), 400, 'invalid_grant')
  }
})

test('attack 29: rejects a verifier if the request had no challenge', async () => {
  const code = await codeFor(user.browser, app)
  refused(await redeemCode(service, app, code, { code_verifier: pkcePair().verifier }), 400, 'invalid_grant')
})

test('attack 30: rejects an S256 challenge as the verifier', async () => {
  const { challenge } = pkcePair()
  const code = await codeFor(user.browser, app, { code_challenge: challenge, code_challenge_method: 'S256' })
  refused(await redeemCode(service, app, code, { code_verifier: challenge }), 400, 'invalid_grant')
})

test('attack 31: treats a challenge without a method as plain, so the S256 verifier fails', async () => {
  const { verifier, challenge } = pkcePair()
  const code = await codeFor(user.browser, app, { code_challenge: challenge })
  refused(await redeemCode(service, app, code, { code_verifier: verifier }), 400, 'invalid_grant')
})

test('attack 31: rejects other methods at the authorization endpoint for an app with "S256 only"', async () => {
  const strict = await approvedApp(service, { s256Only: true })
  const { challenge } = pkcePair()
  for (const parameters of [
    {},
    { code_challenge: challenge },
    { code_challenge: challenge, code_challenge_method: 'plain' },
  ]) {
    const response = await user.browser.get(authorizeUrl(strict, parameters))
    expect(new URL(String(response.headers.location)).searchParams.get('error')).toBe('invalid_request')
  }
  const code = await codeFor(user.browser, strict, { code_challenge: challenge, code_challenge_method: 'S256' })
  expect(code).toMatch(/^qbc_/)
})

const good = 'a'.repeat(43)
test.each<[string, string | undefined, string | undefined]>([
  ['42 characters', 'a'.repeat(42), 'plain'],
  ['129 characters', 'a'.repeat(129), 'plain'],
  ['129 characters without a method', 'a'.repeat(129), undefined],
  ['illegal characters', `${'a'.repeat(42)}+`, 'plain'],
  ['a space', `${'a'.repeat(42)} `, 'plain'],
  ['non-ASCII', `${'a'.repeat(42)}é`, 'plain'],
  ['padding', `${'a'.repeat(43)}=`, 'S256'],
  ['method s256', good, 's256'],
  ['method S512', good, 'S512'],
  ['method PLAIN', good, 'PLAIN'],
  ['a method without a challenge', undefined, 'S256'],
  ['44 characters for S256', 'a'.repeat(44), 'S256'],
  ['42 characters for S256', 'a'.repeat(42), 'S256'],
  ['a dot for S256', `${'a'.repeat(42)}.`, 'S256'],
])('attack 32: rejects a challenge with %s', async (_, code_challenge, code_challenge_method) => {
  const response = await user.browser.get(authorizeUrl(app, { code_challenge, code_challenge_method }))
  const url = new URL(String(response.headers.location))
  expect(url.searchParams.get('error')).toBe('invalid_request')
  expect(url.searchParams.has('code')).toBe(false)
})

test('attack 33: rejects a verifier of 42 characters with a correct hash', async () => {
  const verifier = 'a'.repeat(42)
  const code_challenge = createHash('sha256').update(verifier).digest('base64url')
  const code = await codeFor(user.browser, app, { code_challenge, code_challenge_method: 'S256' })
  refused(await redeemCode(service, app, code, { code_verifier: verifier }), 400, 'invalid_grant')
})

test('attack 34: requires the secret of the app in addition to the verifier', async () => {
  const { verifier, challenge } = pkcePair()
  const code = await codeFor(user.browser, app, { code_challenge: challenge, code_challenge_method: 'S256' })
  const request = { grant_type: 'authorization_code', client_id: app.clientId, code, code_verifier: verifier }
  refused(await postForm(service, TOKEN_URL, request), 401, 'invalid_client')
  expect((await redeemCode(service, app, code, { code_verifier: verifier })).statusCode).toBe(200)
})
