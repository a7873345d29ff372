import { groupMet, questAcceptsParticipation } from '@questboard/client'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { testClock } from '../../server/test/support/clock.ts'
import { all, type ObservedClient, observedClient } from './client-of.ts'
import { SPECIFIED_QUESTS, type SpecifiedServer, startSpecifiedServer } from './specified-server.ts'

let server: SpecifiedServer
let questboard: ObservedClient
beforeAll(async () => {
  server = await startSpecifiedServer()
})
beforeEach(() => {
  questboard = observedClient(testClock(), { baseUrl: server.url, accessToken: 'any' })
})
afterAll(() => server.stop())

test('every method queries only fields of the specification', async () => {
  const starboard = questboard.starboard(1)
  expect(await starboard.basicInfo()).toMatchObject({ name: 'One', type: 'PODCAST', reward: null })
  expect(await all(starboard.users({ first: 2 }))).toHaveLength(3)
  expect((await starboard.user('bob'))?.xUserProfile.verifiedType).toBe('notable')
  const space = questboard.space(40)
  expect(await space.info()).toEqual({ id: '40', name: 'Forty', description: null })
  expect((await all(space.members())).map(({ rank }) => rank)).toEqual([1, 2])
  expect((await space.loyaltyPointsRanks({ cursorBefore: 'x', sprintId: 3 })).totalCount).toBe(2)
  expect((await questboard.spaceLoyaltyPointsRanks({ spaceId: 40 })).list).toHaveLength(1)
  expect(await space.findRank(`0x${'2'.repeat(40)}`)).toMatchObject({ found: true, member: { rank: 2 } })
  expect(await questboard.credential(3).info()).toMatchObject({ credType: 'PASSPORT', curatorSpace: null })
  expect(await questboard.credential(3).eligible('yes')).toBe(true)
  expect(await questboard.quest('GC2').info()).toMatchObject({ type: 'Raffle', gasType: 'Sponsored', cap: null })
})

test('null without an error means not found', async () => {
  await expect(questboard.starboard(2).basicInfo()).rejects.toMatchObject({ code: 'NOT_FOUND', category: 'NOT_FOUND' })
  await expect(questboard.space(41).info()).rejects.toThrow('Space not found')
  await expect(questboard.quest('GC99').info()).rejects.toThrow('Quest not found')
})

test('a user is null if a starboard returns null or an empty list', async () => {
  expect(await questboard.starboard(1).user('eve')).toBeNull()
  expect(await questboard.starboard(1).twitterHandleByEvmAddress('0x1')).toBeNull()
})

test('the client returns unknown enum values unchanged, and rules treat them as unknown', async () => {
  const quest = await questboard.quest('GC1').info()
  expect(questAcceptsParticipation(quest, new Date())).toMatchObject({ ok: false, reasons: [{ code: 'not_active' }] })
  const [group] = await questboard.quest('GC1').credentialGroups('0x1')
  expect(groupMet(group!)).toMatchObject({ ok: false, reasons: [{ code: 'unknown_relation' }] })
  expect((await questboard.credential(3).eligibility('yes')).reliable.ok).toBe(false)
})

test('reads a list of quests without the argument "after" by requesting a larger page', async () => {
  const ids = (await all(questboard.quests({ spaceId: 40 }))).map(({ id }) => id)
  expect(ids).toEqual(Array.from({ length: SPECIFIED_QUESTS }, (_, n) => `GC${n + 1}`))
})

test('throws an error if the service lists fewer quests than it has', async () => {
  const small = await startSpecifiedServer({ questsAtOnce: 25 })
  const client = observedClient(testClock(), { baseUrl: small.url })
  const ids: string[] = []
  const read = async () => {
    for await (const { id } of client.quests()) ids.push(id)
  }
  await expect(read()).rejects.toThrow('The service lists only the first 25 of 30 quests; narrow the filter')
  expect(new Set(ids).size).toBe(25)
  await small.stop()
})
