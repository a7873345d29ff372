import { afterAll, beforeEach, expect, test } from 'vitest'
import { DAY, HOUR, SECOND } from '../../src/clock.ts'
import { importRecords } from '../../src/ingest/import-records.ts'
import type { QuestRecord } from '../../src/ingest/records.ts'
import { firstError } from '../support/ask.ts'
import {
  HOLDER_OF_BOTH,
  HOLDER_OF_ONE,
  MAIN_QUEST,
  NOBODY,
  NOW,
  SOLANA_HOLDER,
  startWorld,
} from '../support/fixture.ts'
import { enumValues } from '../support/introspect.ts'

const world = await startWorld()
afterAll(() => world.stop())
beforeEach(() => world.clock.set(new Date(NOW).toISOString()))

const statusOf = async (id: string) => {
  const { data, errors } = await world.ask<{ quest: { status: string } | null }>(
    'query ($id: ID!) { quest(id: $id) { status } }',
    { id },
  )
  return data.quest?.status ?? firstError({ errors })
}
const listed = async (statuses: string[]) => {
  const { data } = await world.ask<{ quests: { totalCount: number; list: { id: string; status: string }[] } }>(
    'query ($statuses: [QuestStatus!]) { quests(input: { statuses: $statuses, first: 100 }) { totalCount list { id status } } }',
    { statuses },
  )
  return data.quests
}
const store = (quest: Omit<QuestRecord, 'spaceId' | 'name' | 'type'>) =>
  importRecords(world, 'quests', [{ spaceId: 40, name: quest.id, type: 'Drop', ...quest }])

test('3.1.1 MUST return the status of a quest', async () => {
  expect(await enumValues(world, 'QuestStatus')).toEqual([
    'Draft',
    'Active',
    'NotStarted',
    'Expired',
    'CapReached',
    'Deleted',
  ])
  const quests = { [MAIN_QUEST]: 'Active', GCstarts01: 'NotStarted', GCover0001: 'Expired', GCfull0001: 'CapReached' }
  for (const [id, status] of Object.entries(quests)) {
    expect(await statusOf(id)).toBe(status)
    const { list, totalCount } = await listed([status])
    expect(list.map((quest) => quest.id)).toContain(id)
    expect(new Set(list.map((quest) => quest.status))).toEqual(new Set([status]))
    expect(totalCount).toBe(list.length)
  }
})

test('3.1.1 MUST change the status exactly at startTime and endTime', async () => {
  expect([await statusOf('GCauto0001'), await statusOf('GCauto0002')]).toEqual(['Active', 'NotStarted'])
  world.clock.advance(HOUR - 1)
  expect([await statusOf('GCauto0001'), await statusOf('GCauto0002')]).toEqual(['Active', 'NotStarted'])
  world.clock.advance(1)
  expect([await statusOf('GCauto0001'), await statusOf('GCauto0002')]).toEqual(['Expired', 'Active'])
  expect((await listed(['Expired'])).list.map(({ id }) => id)).toContain('GCauto0001')
})

test('3.1.1 MUST keep the status of a quest that has a fixed one', async () => {
  world.clock.advance(2 * DAY) // past its endTime
  expect(await statusOf(MAIN_QUEST)).toBe('Active')
})

test('3.1.1 MUST return CapReached after the last participant', async () => {
  await store({ id: 'GCcapped01', cap: 2 })
  await importRecords(world, 'participants', [{ questId: 'GCcapped01', address: HOLDER_OF_ONE }])
  expect(await statusOf('GCcapped01')).toBe('Active')
  await importRecords(world, 'participants', [{ questId: 'GCcapped01', address: HOLDER_OF_BOTH }])
  expect(await statusOf('GCcapped01')).toBe('CapReached')
})

test('3.1.2 MUST hide a draft, also from the owner of the space', async () => {
  for (const persona of ['business', 'owner'] as const) {
    const answer = await world.ask('{ quest(id: "GCdraft001") { name } }', {}, persona)
    expect(firstError(answer)).toBe('NOT_FOUND 404 Quest not found')
  }
  expect(await listed(['Draft'])).toEqual({ totalCount: 0, list: [] })
})

test('3.1.3 MUST hide a deleted quest', async () => {
  expect(await statusOf('GCdelete01')).toBe('NOT_FOUND 404 Quest not found')
  expect(await listed(['Deleted'])).toEqual({ totalCount: 0, list: [] })
})

test('3.2.1 MUST return SYNCED or SYNCING', async () => {
  const { data } = await world.ask(
    '{ a: credential(id: "500") { syncStatus } b: credential(id: "502") { syncStatus } }',
  )
  expect(data).toEqual({ a: { syncStatus: 'SYNCED' }, b: { syncStatus: 'SYNCING' } })
})

test('3.3.1 MUST return all fields that determine whether a quest accepts participation', async () => {
  const day = DAY / SECOND
  const now = NOW / SECOND
  await store({
    id: 'GCopen0001',
    status: 'Active',
    startTime: now - day,
    endTime: now + day,
    cap: 3,
    participantsCount: 2,
  })
  await store({
    id: 'GCopen0002',
    status: 'Active',
    startTime: now - day,
    endTime: now + day,
    cap: 2,
    participantsCount: 2,
  })
  await store({ id: 'GCopen0003', status: 'Active', startTime: now - 2 * day, endTime: now - day })
  await store({ id: 'GCopen0004', status: 'NotStarted', startTime: now - day, endTime: now + day })
  await store({ id: 'GCopen0005', status: 'Active', cap: 0, participantsCount: 9 })
  const accepts = async (id: string) => {
    const { data } = await world.ask<{
      quest: {
        status: string
        cap: number
        participantsCount: number
        startTime: number | null
        endTime: number | null
      }
    }>('query ($id: ID!) { quest(id: $id) { status cap participantsCount startTime endTime } }', { id })
    const { status, cap, participantsCount, startTime, endTime } = data.quest
    return (
      status === 'Active' &&
      (cap <= 0 || participantsCount < cap) &&
      (startTime === null || startTime <= now) &&
      (endTime === null || now < endTime)
    )
  }
  const ids = ['GCopen0001', 'GCopen0002', 'GCopen0003', 'GCopen0004', 'GCopen0005']
  expect(await Promise.all(ids.map(accepts))).toEqual([true, false, false, false, true])
})

test('3.3.2 MUST treat ALL as met when every condition is met, and ANY when one is met', async () => {
  const none = { conditions: [], rewards: [{ rewardType: 'CUSTOM', rewardCount: 1 }] }
  await store({
    id: 'GCgroups01',
    status: 'Active',
    credentialGroups: [
      { conditionRelation: 'ALL', ...none },
      { conditionRelation: 'ANY', ...none },
    ],
  })
  const eligible = async (id: string, address: string) => {
    const { data } = await world.ask<{
      quest: { credentialGroups: { conditions: { eligible: boolean }[]; rewards: { eligible: boolean }[] }[] }
    }>(
      `query ($id: ID!, $address: String!) {
         quest(id: $id) { credentialGroups(address: $address) { conditions { eligible } rewards { eligible } } }
       }`,
      { id, address },
    )
    return data.quest.credentialGroups.map(({ rewards }) => rewards[0]?.eligible)
  }
  expect(await eligible(MAIN_QUEST, HOLDER_OF_BOTH)).toEqual([true, true])
  expect(await eligible(MAIN_QUEST, HOLDER_OF_ONE)).toEqual([false, true])
  expect(await eligible(MAIN_QUEST, NOBODY)).toEqual([false, false])
  // An empty list satisfies "all" but not "any". A request without an address is still not eligible.
  expect(await eligible('GCgroups01', NOBODY)).toEqual([true, false])
  expect(await eligible('GCgroups01', '')).toEqual([false, false])
})

test('3.3.3 MUST return syncStatus together with an eligibility', async () => {
  const { data } = await world.ask(
    'query ($address: String!) { credential(id: "502") { eligible(address: $address) syncStatus } }',
    {
      address: SOLANA_HOLDER,
    },
  )
  expect(data).toEqual({ credential: { eligible: 1, syncStatus: 'SYNCING' } })
})
