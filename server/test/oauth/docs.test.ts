import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import * as attempts from '../../src/rate-limit/rate-limit.ts'
import * as lifetimes from '../../src/lifetimes.ts'
import { paths } from '../../src/oauth/metadata.ts'
import { allScopes } from '../../src/settings/scopes.ts'
import { approvedApp, signedInBrowser, tokensFor } from '../support/oauth-flow.ts'
import { type SignInService, startSignIn } from '../support/oauth-service.ts'

let text: string
let service: SignInService
beforeAll(async () => {
  text = await readFile(join(import.meta.dirname, '../../../docs/oauth.md'), 'utf8')
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
