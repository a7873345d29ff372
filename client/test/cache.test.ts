import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { MINUTE, SECOND } from '../../server/src/clock.ts'
import { type ClientService, CREDENTIAL, HOLDER, STARBOARD, startCommunity } from './arrange.ts'
import { type ObservedClient, observedClient } from './client-of.ts'

let service: ClientService
let questboard: ObservedClient
beforeAll(async () => {
  service = await startCommunity()
})
beforeEach(() => {
  questboard = observedClient(service.clock, { baseUrl: service.url, accessToken: service.personas.business })
})
afterAll(() => service.stop())

const lifetimes: Array<[kind: string, milliseconds: number, ask: (client: ObservedClient) => Promise<unknown>]> = [
  ['a starboard', 5 * MINUTE, (client) => client.starboard(STARBOARD).basicInfo()],
  ['a starboard leaderboard', 5 * MINUTE, (client) => client.starboard(STARBOARD).leaderboard()],
  ['influence data', MINUTE, (client) => client.starboard(STARBOARD).userDetail(HOLDER)],
  ['a handle', MINUTE, (client) => client.starboard(STARBOARD).twitterHandleByEvmAddress(HOLDER)],
  ['one ranked user', MINUTE, (client) => client.starboard(STARBOARD).user('user2')],
  ['a space leaderboard', 30 * SECOND, (client) => client.space(40).loyaltyPointsRanks()],
  ['an eligibility', 5 * MINUTE, (client) => client.credential(CREDENTIAL).eligible(HOLDER)],
  ['the groups of a quest', 5 * MINUTE, (client) => client.quest('GCquest002').credentialGroups(HOLDER)],
  ['a quest', MINUTE, (client) => client.quest('GCquest002').info()],
  ['a list of quests', MINUTE, (client) => client.questPage({ spaceId: 40 })],
]

test.each(lifetimes)('caches %s for the recommended time of the specification', async (_, lifetime, ask) => {
  const first = await ask(questboard)
  service.clock.advance(lifetime - 1)
  expect(await ask(questboard)).toEqual(first)
  expect(questboard.requests).toHaveLength(1)
  service.clock.advance(1)
  await ask(questboard)
  expect(questboard.requests).toHaveLength(2)
})

test('allows other cache times, for one kind or all', async () => {
  const { url: baseUrl, personas } = service
  const client = observedClient(service.clock, { baseUrl, accessToken: personas.business, cache: { space: 0 } })
  await client.space(40).info()
  await client.space(40).info()
  await client.quest('GCquest002').info()
  await client.quest('GCquest002').info()
  expect(client.requests).toHaveLength(3)
  const none = observedClient(service.clock, { baseUrl, accessToken: personas.business, cache: false })
  await none.quest('GCquest002').info()
  await none.quest('GCquest002').info()
  expect(none.requests).toHaveLength(2)
})

test('fetches again with fresh, and replaces the cached response', async () => {
  await questboard.space(40).info()
  await service.database.query(`UPDATE spaces SET name = 'Forty-two' WHERE space_id = 40`)
  expect((await questboard.space(40).info()).name).toBe('Forty')
  expect((await questboard.space(40).info({ fresh: true })).name).toBe('Forty-two')
  expect((await questboard.space(40).info()).name).toBe('Forty-two')
})

test('sends one request for two equal concurrent calls', async () => {
  await Promise.all([questboard.space(40).info(), questboard.space(40).info(), questboard.space('40').info()])
  expect(questboard.requests).toHaveLength(1)
})

test('aborts only the request of the caller', async () => {
  const abort = new AbortController()
  const aborted = questboard.space(40).info({ signal: abort.signal })
  const other = questboard.space(40).info()
  abort.abort(new Error('enough'))
  await expect(aborted).rejects.toThrow('enough')
  expect((await other).id).toBe('40')
  // A caller with a signal also gets a cached response.
  await questboard.space(40).info({ signal: new AbortController().signal })
  expect(questboard.requests).toHaveLength(2)
})

test('returns a copy, so a caller cannot change the cached response', async () => {
  const first = await questboard.space(40).loyaltyPointsRanks()
  first.list.length = 0
  expect((await questboard.space(40).loyaltyPointsRanks()).list).toHaveLength(50)
})

test('does not cache an error', async () => {
  await expect(questboard.space(41).info()).rejects.toThrow('Space not found')
  await service.database.query(
    `INSERT INTO spaces SELECT (jsonb_populate_record(s, '{"space_id": 41}')).* FROM spaces s WHERE space_id = 40`,
  )
  expect((await questboard.space(41).info()).id).toBe('41')
})

test('does not share responses between tokens', async () => {
  let token = service.personas.business
  const client = observedClient(service.clock, { baseUrl: service.url, accessToken: () => token })
  await client.quest('GCquest002').info()
  token = service.personas.spacesOnly
  await expect(client.quest('GCquest002').info()).rejects.toMatchObject({ code: 'PERMISSION_DENIED' })
})

test('keeps a limited number of responses, the most recently used ones', async () => {
  const { url: baseUrl, personas } = service
  const small = observedClient(service.clock, { baseUrl, accessToken: personas.business, cacheEntries: 2 })
  await small.space(40).info()
  await small.quest('GCquest002').info()
  await small.space(40).info()
  await small.quest('GCquest003').info()
  await small.space(40).info()
  expect(small.requests).toHaveLength(3)
  await small.quest('GCquest002').info()
  expect(small.requests).toHaveLength(4)
})

test('caches any document for the time that the caller gives', async () => {
  const document = '{ space(id: 40) { name } }'
  await questboard.query(document)
  await questboard.query(document, {}, { cacheMs: MINUTE })
  await questboard.query(document, {}, { cacheMs: MINUTE })
  expect(questboard.requests).toHaveLength(2)
})
