import { afterAll, beforeAll, expect, test } from 'vitest'
import { ensurePlans } from '../../../src/access/plans.ts'
import { upsertPlan } from '../../../src/access/plans.queries.ts'
import { setOperator } from '../../../src/accounts/account.queries.ts'
import { MINUTE } from '../../../src/clock.ts'
import { type SignedIn, signedInBrowser } from '../../support/oauth-flow.ts'
import { type SignInService, startSignIn } from '../../support/oauth-service.ts'

let service: SignInService
let owner: SignedIn

beforeAll(async () => {
  service = await startSignIn({ checkAnswers: true })
  await ensurePlans(service.database, service.services.config)
  owner = await signedInBrowser(service)
})
afterAll(() => service.close())

test('offers open plans to an account and all plans to an operator', async () => {
  await upsertPlan(service.database.kysely, 'business', { perSecond: 50, perDay: 100_000, open: true })
  await upsertPlan(service.database.kysely, 'partner', { perSecond: null, perDay: null })
  const plans = async () =>
    (await owner.browser.get('/api/plans')).json<{ plans: { plan: string }[] }>().plans.map(({ plan }) => plan)
  expect(await plans()).toEqual(['business', 'free'])
  const make = (plan?: string) => owner.browser.call('POST', '/api/tokens', { name: plan ?? 'none', plan })
  expect((await make('business')).json()).toMatchObject({ plan: 'business' })
  expect((await make()).json()).toMatchObject({ plan: 'free' })
  for (const plan of ['partner', 'unlimited', 'demo', 'nope']) {
    const refused = await make(plan)
    expect([refused.statusCode, refused.json()], plan).toMatchObject([400, { error: { field: 'plan' } }])
  }
  await setOperator(service.database.kysely, owner.account.id, new Date(service.clock.now()))
  expect(await plans()).toEqual(['business', 'demo', 'free', 'partner', 'unlimited'])
  expect((await make('partner')).json()).toMatchObject({ plan: 'partner' })
})

test('counts the active tokens of a plan, without revoked and expired tokens', async () => {
  const { browser } = owner
  const onBusiness = async () =>
    (await browser.get('/api/operator/plans'))
      .json<{ plans: { plan: string; tokens: number }[] }>()
      .plans.find(({ plan }) => plan === 'business')?.tokens
  const before = (await onBusiness()) ?? 0
  const expiresAt = new Date(service.clock.now() + MINUTE)
  expect((await browser.call('POST', '/api/tokens', { name: 'brief', plan: 'business', expiresAt })).statusCode).toBe(
    201,
  )
  expect(await onBusiness()).toBe(before + 1)
  service.clock.advance(MINUTE)
  expect(await onBusiness()).toBe(before)
})
