import { afterAll, expect, test } from 'vitest'
import { importRecords } from '../../../src/ingest/import-records.ts'
import { startUploads } from '../../support/uploads.ts'

const { world, operator, upload } = await startUploads()
afterAll(() => world.stop())

interface Page {
  events: { event: string; details: Record<string, string> }[]
  usernames: Record<string, string>
  spaceNames: Record<string, string>
  bans: Record<string, { accountId: string | null; address: string | null }>
  fileNames: Record<string, string>
  objectNames: Record<string, Record<string, string>>
  appNames: Record<string, string>
  webhooks: Record<string, { accountId: string; host: string }>
}

const { id: accountId, username } = operator.account
const log = async () => (await operator.browser.get('/api/operator/audit')).json<Page>()
const ban = async (body: object) =>
  (await operator.browser.call('POST', '/api/operator/bans', { reason: 'Bots', ...body })).json<{ id: string }>().id

test('the log has the names of its bans, files, spaces and accounts, but not in the details', async () => {
  const ofAccount = await ban({ account: username, spaceId: 40 })
  const address = `0x${'a'.repeat(40)}`
  const ofAddress = await ban({ address })
  const { id } = (await upload('spaceId,name\n902,Good\n', 'spaces.csv')).body
  const page = await log()
  expect(page.bans).toEqual({
    [ofAccount]: { accountId, address: null },
    [ofAddress]: { accountId: null, address },
  })
  expect(page.fileNames).toEqual({ [id]: 'spaces.csv' })
  expect(page.spaceNames).toEqual({ 40: 'Aurora Guild' })
  expect(page.usernames).toEqual({ [accountId]: username })
  expect(JSON.stringify(page.events)).not.toMatch(new RegExp(`${address}|spaces.csv`))
})

test('the log has no name of a deleted space', async () => {
  const made = await operator.browser.call('POST', '/api/spaces', { name: 'Harbour' })
  const { spaceId } = made.json<{ spaceId: number }>()
  expect((await log()).spaceNames).toMatchObject({ [spaceId]: 'Harbour' })
  expect((await operator.browser.call('DELETE', `/api/spaces/${spaceId}`)).statusCode).toBeLessThan(300)
  expect((await log()).spaceNames).not.toHaveProperty(String(spaceId))
})

test('the log has the names of spaces with long ids', async () => {
  await importRecords(world, 'spaces', [{ spaceId: 2147483647, name: 'Last' }])
  await operator.browser.call('POST', '/api/spaces/2147483647/awards', { address: 'ann', points: 5, reason: 'Meetup' })
  expect((await log()).spaceNames).toMatchObject({ 2147483647: 'Last' })
})

test('the log has the names of quests, credentials, starboards, apps and webhooks until they are deleted', async () => {
  const call = async (method: 'POST' | 'DELETE', path: string, body?: object) => {
    const response = await operator.browser.call(method, path, body)
    expect(response.statusCode, response.body).toBeLessThan(300)
    return method === 'DELETE' ? {} : response.json<{ id?: string; clientId?: string }>()
  }
  const quest = { name: 'Say hello', spaceId: 40, type: 'Drop' }
  const credential = { name: 'Guests', credSource: 'CSV', credType: 'EVM_ADDRESS', curatorSpaceId: 40 }
  const paths = {
    quest: `/api/quests/${(await call('POST', '/api/quests', quest)).id}`,
    credential: `/api/credentials/${(await call('POST', '/api/credentials', credential)).id}`,
    starboard: `/api/starboards/${(await call('POST', '/api/starboards', { name: 'Voices', type: 'TWITTER' })).id}`,
  }
  const hook = { url: 'https://hooks.example/secret', events: ['points.awarded'], spaceIds: [40] }
  const { id: webhook = '' } = await call('POST', '/api/webhooks', hook)
  const app = { name: 'Tea app', purpose: 'Tests', redirectUris: ['https://tea.example/done'], scopes: ['EVMAddress'] }
  const { clientId = '' } = await call('POST', '/api/apps', app)
  const idIn = (path: string) => path.split('/').at(-1) as string

  const page = await log()
  expect(page.objectNames).toEqual({
    quest: { [idIn(paths.quest)]: 'Say hello' },
    credential: { [idIn(paths.credential)]: 'Guests' },
    starboard: { [idIn(paths.starboard)]: 'Voices' },
  })
  expect(page.appNames).toEqual({ [clientId]: 'Tea app' })
  expect(page.webhooks).toEqual({ [webhook]: { accountId, host: 'hooks.example' } })
  expect(JSON.stringify(page)).not.toContain('/secret')

  for (const path of [...Object.values(paths), `/api/webhooks/${webhook}`, `/api/apps/${clientId}`])
    await call('DELETE', path)
  const { objectNames, appNames, webhooks } = await log()
  expect({ objectNames, appNames, webhooks }).toEqual({
    objectNames: { quest: {}, credential: {}, starboard: {} },
    appNames: {},
    webhooks: {},
  })
})

test('the log has the names of credentials with long ids', async () => {
  const longest = '9223372036854775807'
  await importRecords(world, 'credentials', [
    { id: longest, name: 'Last guests', credSource: 'CSV', credType: 'EVM_ADDRESS', curatorSpaceId: 40 },
  ])
  for (const credential of [longest, '9223372036854775808'])
    await world.database.query(
      `INSERT INTO security_events (account_id, happened_at, event_id, event, address, details)
       VALUES ($1, $2, gen_random_uuid(), 'sync.source-removed', '', $3)`,
      [accountId, new Date(world.clock.now()), { credential }],
    )
  expect((await log()).objectNames.credential).toEqual({ [longest]: 'Last guests' })
})
