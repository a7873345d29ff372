import { afterAll, beforeAll, expect, test } from 'vitest'
import { sweepSignIn } from '../../src/schedule/sign-in-sweep.ts'
import {
  approvedApp,
  refreshTokens,
  signedInBrowser,
  type TestApp,
  tokenDetail,
  tokensFor,
} from '../support/oauth-flow.ts'
import { type SignInService, startSignIn } from '../support/oauth-service.ts'

let service: SignInService
let app: TestApp
beforeAll(async () => {
  service = await startSignIn({ checkAnswers: true })
  app = await approvedApp(service, { expiringTokens: true })
})
afterAll(() => service.close())

test('removes only expired rows in the sweep', async () => {
  const { browser } = await signedInBrowser(service)
  const living = await tokensFor(service, browser, app)
  const ending = await tokensFor(service, (await signedInBrowser(service)).browser, app)
  await refreshTokens(service, app, ending.refresh_token as string)
  service.clock.advance(3 * 86_400_000)
  const renewed = await refreshTokens(service, app, living.refresh_token as string)
  expect(await sweepSignIn(service.database.kysely, service.clock.now())).toBeGreaterThan(0)
  const { access_token } = renewed.json<{ access_token: string }>()
  expect((await tokenDetail(service, access_token)).statusCode).toBe(200)
  for (const table of ['authorization_codes', 'authorizations', 'challenges', 'attempt_windows'])
    expect(await service.database.query(`SELECT 1 FROM ${table}`)).toEqual([])
})
