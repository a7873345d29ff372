import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { createIngestToken } from '../../src/access/ingest-tokens.ts'
import { upsertPlan } from '../../src/access/plans.queries.ts'
import { changePlan } from '../../src/access/server-tokens.ts'
import { operatorCommand } from '../../src/command/operator.ts'
import { moveAccount } from '../../src/identity/merge.queries.ts'
import { setOperator } from '../../src/accounts/account.queries.ts'
import { NOW, startWorld, type World } from '../support/fixture.ts'
import { type SignedIn, signedInBrowser } from '../support/oauth-flow.ts'

let world: World
let operator: SignedIn
beforeAll(async () => {
  world = await startWorld({
    settings: {
      QUESTBOARD_SECRET: 'a secret of at least thirty-two characters',
      QUESTBOARD_WEBHOOK_HOSTS: 'hooks.internal',
    },
  })
  for (const [plan, open] of [
    ['gold', false],
    ['silver', true],
  ] as const)
    await upsertPlan(world.database.kysely, plan, { perSecond: null, perDay: null, open })
})
afterAll(() => world.stop())
beforeEach(async () => {
  operator = await signedInBrowser(world.app)
  await setOperator(world.database.kysely, operator.account.id, new Date(NOW))
})

const make = async (path: string, body: object) => {
  const response = await operator.browser.call('POST', path, body)
  expect(response.statusCode, response.body).toBe(201)
  return response.json<{ token: string; tokenId: string; id: string }>()
}
const allSpaces = () => make('/api/ingest-tokens', { name: 'all', spaces: 'all' })
const write = async (token: string) => {
  const answer = await fetch(`${world.url}/ingest/v1/spaces`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify([{ spaceId: 40, name: 'Forty' }]),
  })
  return { status: answer.status, text: await answer.text() }
}
const plans = async () => {
  const { tokens } = (await operator.browser.get('/api/tokens')).json<{ tokens: { name: string; plan: string }[] }>()
  return Object.fromEntries(tokens.map(({ name, plan }) => [name, plan]))
}
async function withdraw(): Promise<string> {
  const print = vi.spyOn(console, 'log').mockImplementation(() => {})
  try {
    await operatorCommand((work) => work(world.deps)).parseAsync(['withdraw', operator.account.id], { from: 'user' })
    return print.mock.calls.flat().join('\n')
  } finally {
    print.mockRestore()
  }
}

test('revokes only the ingest tokens that need the rights of an operator', async () => {
  const { token, tokenId } = await allSpaces()
  const { id: accountId } = operator.account
  const byCommand = await createIngestToken(world.deps, { accountId, name: 'command', spaces: [40] })
  expect([(await write(token)).status, (await write(byCommand.token)).status]).toEqual([200, 200])
  expect(await withdraw()).toContain('ingest tokens 1, plans of tokens 0, webhooks 0')
  expect([(await write(token)).status, (await write(byCommand.token)).status]).toEqual([401, 200])
  const again = await operator.browser.call('POST', `/api/ingest-tokens/${tokenId}/regenerate`)
  expect(again.json()).toMatchObject({ error: { code: 'token_revoked' } })
  const events = await world.database.query(
    `SELECT event, details ->> 'tokenId' AS token FROM security_events WHERE account_id = $1 AND event = 'ingest-token.revoked'`,
    [accountId],
  )
  expect(events).toEqual([{ event: 'ingest-token.revoked', token: tokenId }])
})

test('does not accept or regenerate an ingest token whose account lost the rights it needs', async () => {
  const { token, tokenId } = await allSpaces()
  await setOperator(world.database.kysely, operator.account.id, null)
  expect(await write(token)).toMatchObject({
    status: 401,
    text: expect.stringContaining('its account is no longer an operator') as string,
  })
  const again = await operator.browser.call('POST', `/api/ingest-tokens/${tokenId}/regenerate`)
  expect(again.statusCode).toBe(403)
  await setOperator(world.database.kysely, operator.account.id, new Date(NOW))
  expect((await write(token)).status).toBe(200)
})

test('changes and audits nothing when the rights are withdrawn twice', async () => {
  await withdraw()
  const entries = () => world.database.query('SELECT event_id FROM security_events ORDER BY 1')
  const before = await entries()
  expect(await withdraw()).toContain('is not an operator.')
  expect(await entries()).toEqual(before)
})

test('resets the plans that the operator assigned to its own tokens', async () => {
  for (const plan of ['free', 'silver', 'gold']) await make('/api/tokens', { name: plan, plan })
  const moved = await make('/api/tokens', { name: 'moved' })
  const given = await make('/api/tokens', { name: 'given' })
  const path = `/api/operator/tokens/${moved.tokenId}/plan`
  expect((await operator.browser.call('PUT', path, { plan: 'gold' })).statusCode).toBe(200)
  await changePlan(world.deps, given.tokenId, { plan: 'gold', assignedBy: '00000000-0000-4000-8000-0000000000aa' })
  const before = { free: 'free', silver: 'silver', gold: 'gold', moved: 'gold', given: 'gold' }
  expect(await plans()).toEqual(before)
  expect(await withdraw()).toContain('ingest tokens 0, plans of tokens 2, webhooks 0')
  expect(await plans()).toEqual({ ...before, gold: 'free', moved: 'free' })
})

test('keeps plans of other accounts, and lists them in the output and the audit log', async () => {
  const owner = await signedInBrowser(world.app)
  const own = async (name: string) =>
    (await owner.browser.call('POST', '/api/tokens', { name })).json<{ tokenId: string }>().tokenId
  const [gold, open, back] = [await own('gold'), await own('open'), await own('back')]
  const give = async (tokenId: string, plan: string) =>
    expect((await operator.browser.call('PUT', `/api/operator/tokens/${tokenId}/plan`, { plan })).statusCode).toBe(200)
  await give(gold, 'gold')
  await give(open, 'silver')
  await give(back, 'gold')
  await give(back, 'free')
  const printed = await withdraw()
  expect(printed).toContain('plans of tokens 0')
  expect(printed).toContain(`  ${gold}  plan gold, account ${owner.account.id}`)
  expect(printed).not.toContain(open)
  expect(printed).not.toContain(back)
  const [entry] = await world.database.query(
    `SELECT details FROM security_events WHERE account_id = $1 AND event = 'account.operator-withdrawn'`,
    [operator.account.id],
  )
  expect(entry).toEqual({ details: { keptPlans: `${gold} gold`, by: 'command' } })
  const [token] = await world.database.query('SELECT plan FROM server_tokens WHERE token_id = $1', [gold])
  expect(token).toEqual({ plan: 'gold' })
})

test('resets a plan that the operator assigned to an account that was later merged into its own', async () => {
  const other = await signedInBrowser(world.app)
  const made = await other.browser.call('POST', '/api/tokens', { name: 'merged' })
  const path = `/api/operator/tokens/${made.json<{ tokenId: string }>().tokenId}/plan`
  expect((await operator.browser.call('PUT', path, { plan: 'gold' })).statusCode).toBe(200)
  await world.database.kysely
    .transaction()
    .execute((transaction) => moveAccount(transaction, other.account.id, operator.account.id, new Date(NOW)))
  expect(await plans()).toEqual({ merged: 'gold' })
  expect(await withdraw()).toContain('plans of tokens 1')
  expect(await plans()).toEqual({ merged: 'free' })
})

test('resets plans of an operator whose account was merged into another', async () => {
  const survivor = await signedInBrowser(world.app)
  const made = await survivor.browser.call('POST', '/api/tokens', { name: 'kept' })
  const path = `/api/operator/tokens/${made.json<{ tokenId: string }>().tokenId}/plan`
  expect((await operator.browser.call('PUT', path, { plan: 'gold' })).statusCode).toBe(200)
  await world.database.kysely
    .transaction()
    .execute((transaction) => moveAccount(transaction, operator.account.id, survivor.account.id, new Date(NOW)))
  operator = survivor
  expect(await withdraw()).toContain('plans of tokens 1')
  expect(await plans()).toEqual({ kept: 'free' })
})

test('does not regenerate a token on a plan that needs the rights', async () => {
  const { tokenId } = await make('/api/tokens', { name: 'gold', plan: 'gold' })
  await setOperator(world.database.kysely, operator.account.id, null)
  expect((await operator.browser.call('POST', `/api/tokens/${tokenId}/regenerate`)).statusCode).toBe(403)
})

test('disables webhooks of the operator; those to internal hosts stay disabled', async () => {
  const hook = { events: ['points.awarded'], spaceIds: [40] }
  const { id: inside } = await make('/api/webhooks', { ...hook, url: 'http://hooks.internal/a' })
  const { id: outside } = await make('/api/webhooks', { ...hook, url: 'https://8.8.8.8/a' })
  expect(await withdraw()).toContain('webhooks 2')
  const enable = async (id: string) =>
    (await operator.browser.call('PATCH', `/api/webhooks/${id}`, { enabled: true })).statusCode
  expect((await operator.browser.get(`/api/webhooks/${inside}`)).json()).toMatchObject({
    enabled: false,
    disabledReason: 'its account is no longer an operator',
  })
  expect([await enable(inside), await enable(outside)]).toEqual([400, 200])
  const [row] = await world.database.query('SELECT by_operator FROM webhook_endpoints WHERE endpoint_id = $1', [
    outside,
  ])
  expect(row).toEqual({ by_operator: false })
})
