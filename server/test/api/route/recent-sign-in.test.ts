import { afterAll, beforeAll, expect, test } from 'vitest'
import { setOperator } from '../../../src/accounts/account.queries.ts'
import { FRESH_SIGN_IN } from '../../../src/lifetimes.ts'
import { type SignedIn, signedInBrowser } from '../../support/oauth-flow.ts'
import { startWorld, type World } from '../../support/fixture.ts'

let world: World
let operator: SignedIn
let allSpaces: { tokenId: string }
let oneSpace: { tokenId: string }

beforeAll(async () => {
  world = await startWorld()
  operator = await signedInBrowser(world.app)
  await setOperator(world.database.kysely, operator.account.id, new Date(world.clock.now()))
  const create = async (body: object) =>
    (await operator.browser.call('POST', '/api/ingest-tokens', body)).json<{ tokenId: string }>()
  allSpaces = await create({ name: 'all', spaces: 'all' })
  oneSpace = await create({ name: 'one', spaces: [40] })
  world.clock.advance(FRESH_SIGN_IN + 1)
})
afterAll(() => world.stop())

const plan = { perSecond: 1, perDay: 1, open: false }

const nobody = '00000000-0000-4000-8000-000000000000'

const calls: [title: string, method: 'POST' | 'PUT' | 'DELETE', path: () => string, body: object | undefined][] = [
  ['makes a plan', 'POST', () => '/api/operator/plans', { plan: 'made', ...plan }],
  ['changes a plan', 'PUT', () => '/api/operator/plans/made', plan],
  ['deletes a plan', 'DELETE', () => '/api/operator/plans/made', undefined],
  ['puts a token on another plan', 'PUT', () => `/api/operator/tokens/${allSpaces.tokenId}/plan`, { plan: 'free' }],
  ['runs a sync', 'POST', () => '/api/operator/syncs/500/run', {}],
  ['seals a snapshot', 'POST', () => '/api/operator/snapshots', { spaceId: 40 }],
  ['deletes a snapshot', 'DELETE', () => `/api/operator/snapshots/${nobody}`, undefined],
  ['bans an address', 'POST', () => '/api/operator/bans', { address: 'ann', reason: 'Bots' }],
  ['lifts a ban', 'POST', () => `/api/operator/bans/${nobody}/lift`, undefined],
  ['awards points', 'POST', () => '/api/spaces/40/awards', {}],
  ['reverses an award', 'POST', () => '/api/spaces/40/reversals', {}],
  ['imports a file', 'POST', () => '/api/operator/imports', {}],
  ['uploads a file', 'POST', () => '/api/operator/imports/uploads?fileName=a.csv', {}],
  ['stores a checked file', 'POST', () => `/api/operator/imports/${nobody}/apply`, undefined],
  ['suspends an account', 'POST', () => `/api/operator/people/${nobody}/suspend`, { reason: 'Bots' }],
  ['ends a suspension', 'POST', () => `/api/operator/people/${nobody}/resume`, undefined],
  ['makes an ingest token for all spaces', 'POST', () => '/api/ingest-tokens', { name: 'x', spaces: 'all' }],
  ['makes an ingest token for all credentials', 'POST', () => '/api/ingest-tokens', { name: 'x', credentials: 'all' }],
  ['regenerates such a token', 'POST', () => `/api/ingest-tokens/${allSpaces.tokenId}/regenerate`, undefined],
]

test.each(calls)('an operator who %s needs a recent sign-in', async (_title, method, path, body) => {
  const answer = await operator.browser.call(method, path(), body)
  expect(answer.statusCode).toBe(403)
  expect(answer.json()).toMatchObject({ error: { code: 'fresh_sign_in_required' } })
})

test('requires no recent sign-in for reads and for a token for one space', async () => {
  const { browser } = operator
  expect((await browser.call('POST', '/api/ingest-tokens', { name: 'x', spaces: [40] })).statusCode).toBe(201)
  expect((await browser.call('POST', `/api/ingest-tokens/${oneSpace.tokenId}/regenerate`)).statusCode).toBe(200)
  expect((await browser.call('DELETE', `/api/ingest-tokens/${allSpaces.tokenId}`)).statusCode).toBe(204)
  expect((await browser.get('/api/operator/plans')).statusCode).toBe(200)
})

test('reports whether the sign-in is recent', async () => {
  const old = await operator.browser.get('/api/sessions/recent')
  expect([old.statusCode, old.json<{ error: { code: string } }>().error.code]).toEqual([403, 'fresh_sign_in_required'])
  const signedIn = await signedInBrowser(world.app)
  expect((await signedIn.browser.get('/api/sessions/recent')).statusCode).toBe(204)
})
