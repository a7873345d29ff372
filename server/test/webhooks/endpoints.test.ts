import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { ensurePlans } from '../../src/access/plans.ts'
import { importRecords } from '../../src/ingest/import-records.ts'
import { readEndpointForm } from '../../src/webhooks/endpoint-form.ts'
import {
  createEndpoint,
  MAX_FOREIGN_WEBHOOKS,
  MAX_FOREIGN_WEBHOOKS_OF_ACCOUNT,
  MAX_FOREIGN_WEBHOOKS_OF_NETWORK,
  RESERVED_FOR_OTHERS,
  updateEndpoint,
} from '../../src/webhooks/endpoints.ts'
import type { Browser } from '../support/oauth-browser.ts'
import { signedInBrowser } from '../support/oauth-flow.ts'
import { type SignInService, startSignIn } from '../support/oauth-service.ts'

/** Limits of webhooks on a subject for accounts that do not own it, and changes at the same time. */

let service: SignInService
beforeAll(async () => {
  service = await startSignIn({ settings: { QUESTBOARD_WEBHOOK_HOSTS: 'hooks.internal' } })
  const { database, clock } = service
  await ensurePlans(database, service.services.config)
  await importRecords({ database, clock }, 'spaces', [{ spaceId: 40, name: 'Forty' }])
})
afterEach(() => service.database.query('DELETE FROM webhook_endpoints'))
afterAll(() => service.close())

const good = { url: 'https://8.8.8.8/questboard', events: ['points.awarded'], spaceIds: [40] }
const form = readEndpointForm(good)
interface View {
  id: string
}
const signedIn = async () => (await signedInBrowser(service)).browser
const own = (accountId: string | null) =>
  service.database.query('UPDATE spaces SET owner_account_id = $1 WHERE space_id = 40', [accountId])
const from = async (browser: Browser, network: string) =>
  browser.send({
    method: 'POST',
    url: '/api/webhooks',
    headers: { 'x-csrf-token': await browser.csrfToken(), 'x-forwarded-for': network },
    body: good,
  })
const crowded = {
  error: { code: 'too_many_listeners', field: 'spaceIds.0', fault: { code: 'too_many_listeners', parameters: {} } },
}

test('limits the webhooks of one account, which can still change them', async () => {
  const browser = await signedIn()
  let id = ''
  for (let n = 0; n < MAX_FOREIGN_WEBHOOKS_OF_ACCOUNT; n++)
    id = (await from(browser, `198.51.100.${n}`)).json<View>().id
  expect((await from(browser, '198.51.100.99')).json()).toMatchObject(crowded)
  await service.database.query(`UPDATE webhook_endpoints SET network = '198.51.100.1'`)
  const change = (more: object) => browser.call('PATCH', `/api/webhooks/${id}`, more)
  expect((await change({ description: 'the same place' })).statusCode).toBe(200)
})

test('limits the webhooks of one network', async () => {
  const codes: number[] = []
  for (let n = 0; n <= MAX_FOREIGN_WEBHOOKS_OF_NETWORK; n++)
    codes.push((await from(await signedIn(), '203.0.113.5')).statusCode)
  expect(codes).toEqual([...Array<number>(MAX_FOREIGN_WEBHOOKS_OF_NETWORK).fill(201), 409])
  expect((await from(await signedIn(), '203.0.113.6')).statusCode).toBe(201)
})

test('limits the webhooks of one network under concurrent requests', async () => {
  const browsers = await Promise.all(Array.from({ length: MAX_FOREIGN_WEBHOOKS_OF_NETWORK + 4 }, signedIn))
  const answers = await Promise.all(browsers.map((browser) => from(browser, '203.0.113.7')))
  const made = answers.filter(({ statusCode }) => statusCode === 201)
  expect(made).toHaveLength(MAX_FOREIGN_WEBHOOKS_OF_NETWORK)
})

test('counts webhooks without a network as one network, except those of operators', async () => {
  const { account } = await signedInBrowser(service)
  await createEndpoint(service.services, account.id, form, 'operator')
  for (let n = 0; n < MAX_FOREIGN_WEBHOOKS_OF_NETWORK; n++)
    expect((await from(await signedIn(), `203.0.113.${10 + n}`)).statusCode).toBe(201)
  await service.database.query(`UPDATE webhook_endpoints SET network = ''`)
  const late = await signedInBrowser(service)
  const withoutNetwork = () => createEndpoint(service.services, late.account.id, form)
  await expect(withoutNetwork()).rejects.toThrow(
    'webhooks from your network, the maximum for accounts that neither own nor manage it',
  )
  await service.database.query(
    `DELETE FROM webhook_endpoints WHERE endpoint_id =
       (SELECT endpoint_id FROM webhook_endpoints WHERE NOT by_operator LIMIT 1)`,
  )
  await expect(withoutNetwork()).resolves.toMatchObject({ endpoint: { spaceIds: [40] } })
})

test('assigns a webhook without a network to the network that changes it', async () => {
  const browser = await signedIn()
  const { id } = (await from(browser, '203.0.113.8')).json<View>()
  await service.database.query(`UPDATE webhook_endpoints SET network = ''`)
  await browser.send({
    method: 'PATCH',
    url: `/api/webhooks/${id}`,
    headers: { 'x-csrf-token': await browser.csrfToken(), 'x-forwarded-for': '203.0.113.9' },
    body: { description: 'changed' },
  })
  const [row] = await service.database.query('SELECT network FROM webhook_endpoints')
  expect(row).toEqual({ network: '203.0.113.9' })
})

test('merges two changes that were made to the same state of a webhook', async () => {
  const { account } = await signedInBrowser(service)
  const { endpoint } = await createEndpoint(service.services, account.id, form)
  await updateEndpoint(service.services, endpoint, { minPoints: 7 })
  const changed = await updateEndpoint(service.services, endpoint, { description: 'second' })
  expect(changed).toMatchObject({ minPoints: 7, description: 'second' })
})

test('reserves the last webhooks for other accounts and networks, and one for the owner', async () => {
  const first = await signedInBrowser(service)
  expect((await from(first.browser, '192.0.2.1')).statusCode).toBe(201)
  const { account } = await signedInBrowser(service)
  const fill = (count: number) =>
    Promise.all(Array.from({ length: count }, () => createEndpoint(service.services, account.id, form, 'operator')))
  await fill(MAX_FOREIGN_WEBHOOKS - RESERVED_FOR_OTHERS - 1)
  expect((await from(first.browser, '192.0.2.2')).json()).toMatchObject(crowded)
  expect((await from(await signedIn(), '192.0.2.1')).json()).toMatchObject(crowded)
  expect((await from(await signedIn(), '192.0.2.3')).statusCode).toBe(201)
  await fill(RESERVED_FOR_OTHERS - 1)
  const late = await signedInBrowser(service)
  expect((await from(late.browser, '192.0.2.4')).json()).toMatchObject(crowded)
  await own(late.account.id)
  expect((await from(late.browser, '192.0.2.4')).statusCode).toBe(201)
  await own(null)
})
