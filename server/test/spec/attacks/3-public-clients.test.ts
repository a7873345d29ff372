import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  approvedApp,
  authorizeUrl,
  countRows,
  pkcePair,
  signedInBrowser,
  type SignedIn,
  tokenDetail,
} from '../../support/oauth-flow.ts'
import { refused } from '../../support/oauth-refusals.ts'
import { type SignInService, startSignIn } from '../../support/oauth-service.ts'
import { codeWithVerifier, postAsPublic, type PublicApp, publicApp, publicTokens } from '../../support/public-client.ts'

let service: SignInService
let app: PublicApp
let user: SignedIn
beforeAll(async () => {
  service = await startSignIn()
  app = await publicApp(service)
  user = await signedInBrowser(service)
})
afterAll(() => service.close())

test('attack 31: starts no sign-in of an app without a server without S256', async () => {
  const before = await countRows(service)
  const { challenge } = pkcePair()
  for (const parameters of [
    {},
    { code_challenge: challenge },
    { code_challenge: challenge, code_challenge_method: 'plain' },
    { code_challenge_method: 'S256' },
  ]) {
    const response = await user.browser.get(authorizeUrl({ ...app, secret: '' }, parameters))
    const answer = new URL(String(response.headers.location)).searchParams
    expect(answer.get('error')).toBe('invalid_request')
    expect(answer.has('code')).toBe(false)
  }
  expect(await countRows(service)).toEqual(before)
})

test('attack 28: a stolen code of an app without a server is worthless without its verifier, and then spent', async () => {
  for (const stolen of [undefined, '', pkcePair().verifier]) {
    const { code, code_verifier } = await codeWithVerifier(user.browser, app)
    refused(await postAsPublic(service, app, { code, code_verifier: stolen }), 400, 'invalid_grant')
    refused(await postAsPublic(service, app, { code, code_verifier }), 400, 'invalid_grant')
  }
})

test('attack 29: redeems no code without a challenge, even if one is stored', async () => {
  const { code } = await codeWithVerifier(user.browser, app)
  await service.database.query(
    'UPDATE authorization_codes SET code_challenge = NULL, code_challenge_method = NULL WHERE client_id = $1',
    [app.clientId],
  )
  refused(await postAsPublic(service, app, { code }), 400, 'invalid_grant')
})

test('attack 22: an app without a server cannot redeem, refresh or revoke what belongs to another', async () => {
  const other = await publicApp(service)
  const sent = await codeWithVerifier(user.browser, app)
  refused(await postAsPublic(service, other, sent), 400, 'invalid_grant')
  const redeemed = await postAsPublic(service, app, sent)
  expect(redeemed.statusCode).toBe(200)
  const { refresh_token, access_token } = redeemed.json<{ refresh_token: string; access_token: string }>()
  refused(await postAsPublic(service, other, { grant_type: 'refresh_token', refresh_token }), 400, 'invalid_grant')
  const foreign = await postAsPublic(service, other, { token: refresh_token }, { url: '/oauth/revoke' })
  expect([foreign.statusCode, foreign.body]).toEqual([200, '{}'])
  expect((await tokenDetail(service, access_token)).statusCode).toBe(200)
})

test('attack 45: a replayed refresh token of an app without a server ends the grant, also for the thief', async () => {
  const refresh = (refresh_token: string | undefined) =>
    postAsPublic(service, app, { grant_type: 'refresh_token', refresh_token })
  const stolen = await publicTokens(service, user.browser, app)
  const thief = (await refresh(stolen.refresh_token)).json<{ access_token: string; refresh_token: string }>()
  service.clock.advance(11_000)
  refused(await refresh(stolen.refresh_token), 400, 'invalid_grant')
  refused(await refresh(thief.refresh_token), 400, 'invalid_grant')
  expect((await tokenDetail(service, thief.access_token)).statusCode).toBe(401)
})

test('attack 46: of parallel refreshes of an app without a server at most one succeeds', async () => {
  const { refresh_token } = await publicTokens(service, user.browser, app)
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => postAsPublic(service, app, { grant_type: 'refresh_token', refresh_token })),
  )
  expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1)
  for (const answer of answers.filter(({ statusCode }) => statusCode !== 200)) refused(answer, 400, 'invalid_grant')
})

test('attack 35: rejects an app with a server without its secret', async () => {
  const confidential = await approvedApp(service, { expiringTokens: true })
  const unknown = await postAsPublic(service, { clientId: 'nobodyknowsme', redirectUri: '' }, { code: 'x' })
  const missing = await postAsPublic(service, confidential, { code: 'x' })
  refused(missing, 401, 'invalid_client')
  expect(missing.body).toBe(unknown.body)
})
