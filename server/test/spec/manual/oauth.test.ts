import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import * as attempts from '../../../src/rate-limits/limits.ts'
import * as lifetimes from '../../../src/lifetimes.ts'
import { paths } from '../../../src/oauth/metadata.ts'
import { allScopes } from '../../../src/settings/scopes.ts'
import { approvedApp, codeFor, pkcePair, postForm, signedInBrowser, tokensFor } from '../../support/oauth-flow.ts'
import { type SignInService, startSignIn } from '../../support/oauth-service.ts'

let text: string
let service: SignInService
beforeAll(async () => {
  text = await readFile(join(import.meta.dirname, '../../../../docs/oauth.md'), 'utf8')
  service = await startSignIn()
})
afterAll(() => service.close())

test('names every endpoint and every scope in docs/oauth.md', () => {
  for (const path of Object.values(paths)) expect(text).toContain(path)
  for (const scope of allScopes) expect(text).toContain(`\`${scope}\``)
})

test('names exactly the existing paths of the JSON API in docs/oauth.md', () => {
  const inText = [...text.matchAll(/\/api\/[a-z-]+/g)].map(([path]) => path)
  const inCode = service.routes.flatMap((route) => /^\/api\/[a-z-]+/.exec(route) ?? [])
  expect([...new Set(inText)].sort()).toEqual([...new Set(inCode)].sort())
})

test('shows the keys and value types of a real token response in docs/oauth.md', async () => {
  const shown = JSON.parse(/```json\n([\s\S]*?)```/.exec(text)?.[1] ?? '') as Record<string, unknown>
  const { browser } = await signedInBrowser(service)
  const app = await approvedApp(service, { expiringTokens: true })
  const tokens = await tokensFor(service, browser, app)
  const kind = (value: unknown) => (typeof value === 'string' ? value.replace(/^(qb._).*/, '$1') : value)
  const kinds = (answer: object) => Object.fromEntries(Object.entries(answer).map(([key, value]) => [key, kind(value)]))
  expect(kinds(tokens)).toEqual(kinds(shown))
})

test('returns for steps 1 and 2 what docs/oauth.md shows', async () => {
  const app = await approvedApp(service, { s256Only: true, expiringTokens: true })
  const { verifier, challenge } = pkcePair()
  const [, query = ''] = /curl -si 'http:\/\/localhost:4000\/oauth\?(.*)'/.exec(text) ?? []
  const values: Record<string, string> = {
    CLIENT_ID: app.clientId,
    REDIRECT_URI: app.redirectUri,
    STATE: 'state-of-the-app',
    CHALLENGE: challenge,
    'qbx_…': app.secret,
    VERIFIER: verifier,
  }
  const filledIn = (parameters: URLSearchParams) =>
    Object.fromEntries([...parameters].map(([name, value]) => [name, values[value] ?? value]))
  const first = filledIn(new URLSearchParams(query))
  const started = await service.fastify.inject(`/oauth?${new URLSearchParams(first).toString()}`)
  const [status = '', location = ''] = (/```text\n([\s\S]*?)```/.exec(text)?.[1] ?? '').split('\n')
  expect(status).toContain(` ${started.statusCode} ${started.statusMessage}`)
  const path = (url: string) => url.replace(/^.*?:\/\/[^/]*/, '').replace(/[A-Za-z0-9]{32}$/, 'ID')
  expect(path(String(started.headers.location))).toBe(path(location.replace('location: ', '')))

  const { browser } = await signedInBrowser(service)
  values.CODE = await codeFor(browser, app, first)
  const [, url = '', form = ''] = /curl -s http:\/\/localhost:4000(\S+\/token) \\\n(.*)/.exec(text) ?? []
  const fields = [...form.matchAll(/-d '([^']*)'/g)].map(([, field]) => field as string)
  const redeemed = await postForm(service, url, filledIn(new URLSearchParams(fields.join('&'))))
  expect(redeemed.statusCode).toBe(200)
  const shown = JSON.parse(/```json\n([\s\S]*?)```/.exec(text)?.[1] ?? '') as object
  expect(Object.keys(redeemed.json<object>()).sort()).toEqual(Object.keys(shown).sort())
})

test('documents the lifetimes and limits of the code in docs/oauth.md', () => {
  const minutes = (milliseconds: number) => milliseconds / 60_000
  const days = (milliseconds: number) => minutes(milliseconds) / 1440
  const lines: [string, string][] = [
    ['code', `${minutes(lifetimes.CODE_LIFETIME)} minutes`],
    ['refresh token', `${days(lifetimes.REFRESH_TOKEN_LIFETIME)} days`],
    ['pages of one sign-in', `${minutes(lifetimes.AUTHORIZATION_LIFETIME)} minutes`],
    ['challenge for a wallet or passkey', `${minutes(lifetimes.CHALLENGE_LIFETIME)} minutes`],
    [
      'session of a browser',
      `${days(lifetimes.SESSION_IDLE_LIFETIME)} days without use, ${days(lifetimes.SESSION_LIFETIME)} days`,
    ],
    ['fresh sign-in', `${minutes(lifetimes.FRESH_SIGN_IN)} minutes`],
    ['id_token', `${minutes(lifetimes.ID_TOKEN_LIFETIME)} minutes`],
    [
      'signing key',
      `signs for ${days(lifetimes.SIGNING_KEY_LIFETIME)} days; stays published for ${days(lifetimes.SIGNING_KEY_OVERLAP)} days after`,
    ],
    ['failed client authentications of one network', String(attempts.clientFailuresByNetwork.max)],
    ['failed client authentications of one app', String(attempts.clientFailuresByApp.max)],
    ['authorization requests of one network', String(attempts.authorizationsByNetwork.max)],
    ['authorization requests with a long `state`', String(attempts.longAuthorizationsByNetwork.max)],
    ['challenges of one network', String(attempts.challengesByNetwork.max)],
  ]
  const unpadded = text.replace(/ +\|/g, ' |')
  for (const [what, figure] of lines) expect(unpadded).toContain(`| ${what} | ${figure}`)
  expect(days(lifetimes.ACCESS_TOKEN_LIFETIME)).toBe(1)
  expect(days(lifetimes.OLD_SECRET_LIFETIME)).toBe(1)
  expect(lifetimes.REFRESH_GRACE).toBe(10_000)
})
