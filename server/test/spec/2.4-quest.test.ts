import { afterAll, expect, test } from 'vitest'
import { DAY, MINUTE } from '../../src/clock.ts'
import { firstError } from '../support/ask.ts'
import {
  activeQuests,
  HOLDER_OF_BOTH,
  HOLDER_OF_ONE,
  MAIN_QUEST,
  NOBODY,
  NOW,
  startWorld,
  unix,
} from '../support/fixture.ts'
import { argumentTypes, enumValues, fieldTypes } from '../support/introspect.ts'

const world = await startWorld()
afterAll(() => world.stop())

const quest = async (id: string, selection: string) => {
  const { data, errors } = await world.ask<{ quest: Record<string, unknown> | null }>(
    `query ($id: ID!) { quest(id: $id) { ${selection} } }`,
    { id },
  )
  return { quest: data.quest, error: firstError({ errors }) }
}

const groups = async (address: string, selection: string, id = MAIN_QUEST) =>
  (await quest(id, `credentialGroups(address: "${address}") { ${selection} }`)).quest?.credentialGroups

test('2.4.1 MUST return every field of quest(id)', async () => {
  const { quest: found } = await quest(
    MAIN_QUEST,
    `id name type status description startTime endTime cap participantsCount loyaltyPoints gasType
     space { id name } chain credentialGroups(address: "") { id }`,
  )
  expect(found).toEqual({
    id: MAIN_QUEST,
    name: 'Light the beacon',
    type: 'Drop',
    status: 'Active',
    description: 'Hold, swap and shine.',
    startTime: unix(NOW - DAY),
    endTime: unix(NOW + DAY),
    cap: 100,
    participantsCount: 10,
    loyaltyPoints: 25,
    gasType: 'Gas',
    space: { id: '40', name: 'Aurora Guild' },
    chain: 'ETHEREUM',
    credentialGroups: [{ id: 'all' }, { id: 'any' }],
  })
  expect(await fieldTypes(world, 'Quest')).toEqual({
    id: 'ID!',
    name: 'String!',
    type: 'QuestType!',
    status: 'QuestStatus!',
    description: 'String!',
    startTime: 'UnixTime',
    endTime: 'UnixTime',
    cap: 'Int!',
    participantsCount: 'Int!',
    loyaltyPoints: 'Int!',
    gasType: 'GasType!',
    space: 'Space!',
    chain: 'String',
    credentialGroups: '[CredentialGroup]',
  })
})

test('2.4.1 MUST return null for a missing period, chain and cap', async () => {
  expect((await quest('GCactive00', 'description startTime endTime cap chain')).quest).toEqual({
    description: '',
    startTime: null,
    endTime: null,
    cap: 0,
    chain: null,
  })
})

test('2.4.1 MUST compare ids exactly', async () => {
  for (const id of [MAIN_QUEST.toLowerCase(), ` ${MAIN_QUEST}`, 'GCunknown1', ''])
    expect(await quest(id, 'id')).toEqual({ quest: null, error: 'NOT_FOUND 404 Quest not found' })
})

test('2.4.2 MUST support five types, and Bounty', async () => {
  expect(await enumValues(world, 'QuestType')).toEqual([
    'Drop',
    'MysteryBox',
    'Airdrop',
    'Points',
    'ExternalLink',
    'Bounty',
  ])
  const ids = [MAIN_QUEST, 'GCstarts01', 'GCover0001', 'GCfull0001', 'GCauto0001', 'GCauto0002']
  const types = await Promise.all(ids.map((id) => quest(id, 'type')))
  expect(types.map((one) => one.quest?.type)).toEqual(await enumValues(world, 'QuestType'))
})

test('2.4.3 MUST return Gas or Gasless as gasType', async () => {
  expect(await enumValues(world, 'GasType')).toEqual(['Gas', 'Gasless'])
  expect((await quest(MAIN_QUEST, 'gasType')).quest).toEqual({ gasType: 'Gas' })
  expect((await quest('GCactive00', 'gasType')).quest).toEqual({ gasType: 'Gasless' })
})

test('2.4.4 MUST return the space of a quest', async () => {
  expect((await quest('GCactive00', 'space { id name description }')).quest).toEqual({
    space: { id: '41', name: 'Beacon', description: null },
  })
})

test('2.4.5 MUST return the credential groups in their order', async () => {
  expect(await groups(NOBODY, 'id name conditionRelation')).toEqual([
    { id: 'all', name: 'Both', conditionRelation: 'ALL' },
    { id: 'any', name: 'One of two', conditionRelation: 'ANY' },
  ])
  expect(await groups(NOBODY, 'id', 'GCactive00')).toEqual([])
  expect(await argumentTypes(world, 'Quest', 'credentialGroups')).toEqual({ address: 'String!' })
  expect(await enumValues(world, 'ConditionRelation')).toEqual(['ALL', 'ANY'])
})

test('2.4.6 MUST evaluate each condition for the address, as a boolean', async () => {
  const conditionsOf = async (address: string) => groups(address, 'conditions { expression eligible }')
  const conditions = (genesis: boolean, swapper: boolean) => [
    { expression: 'Genesis holder', eligible: genesis },
    { expression: 'Early swapper', eligible: swapper },
  ]
  expect(await conditionsOf(HOLDER_OF_BOTH)).toEqual(Array(2).fill({ conditions: conditions(true, true) }))
  expect(await conditionsOf(HOLDER_OF_ONE)).toEqual(Array(2).fill({ conditions: conditions(true, false) }))
  expect(await conditionsOf(`EVM:${HOLDER_OF_ONE.toUpperCase().replace('0X', '0x')}`)).toEqual(
    Array(2).fill({ conditions: conditions(true, false) }),
  )
  for (const stranger of [NOBODY, '', '  '])
    expect(await conditionsOf(stranger)).toEqual(Array(2).fill({ conditions: conditions(false, false) }))
  expect(await fieldTypes(world, 'CredentialCondition')).toEqual({ expression: 'String!', eligible: 'Boolean!' })
})

test('2.4.7 MUST return the rewards of a group, with a count of 0 for an address that is not eligible', async () => {
  const rewardsOf = (address: string) => groups(address, 'rewards { expression eligible rewardType rewardCount }')
  const rewards = (all: boolean, any: boolean) => [
    {
      rewards: [
        { expression: 'Aurora NFT', eligible: all, rewardType: 'NFT', rewardCount: all ? 1 : 0 },
        { expression: '25 points', eligible: all, rewardType: 'LOYALTYPOINTS', rewardCount: all ? 25 : 0 },
      ],
    },
    { rewards: [{ expression: 'OAT', eligible: any, rewardType: 'OAT', rewardCount: any ? 2 : 0 }] },
  ]
  expect(await rewardsOf(HOLDER_OF_BOTH)).toEqual(rewards(true, true))
  expect(await rewardsOf(HOLDER_OF_ONE)).toEqual(rewards(false, true))
  expect(await rewardsOf(NOBODY)).toEqual(rewards(false, false))
  expect(await enumValues(world, 'RewardType')).toEqual([
    'NFT',
    'TOKEN',
    'DISCORDROLE',
    'LOYALTYPOINTS',
    'OAT',
    'CUSTOM',
    'LOYALTYPOINTSMYSTERYBOX',
    'MINTLIST',
  ])
})

test('2.4.8 MUST list the public quests, newest first, without drafts, deleted and private ones', async () => {
  const { data } = await world.ask<{ quests: { totalCount: number; list: { id: string }[] } }>(
    '{ quests(input: { first: 100 }) { totalCount list { id } } }',
  )
  const ids = data.quests.list.map(({ id }) => id)
  // Created at the same time, so ordered by id.
  const older = ['GCauto0001', 'GCauto0002', 'GCfull0001', 'GCover0001', 'GCstarts01']
  expect(ids).toEqual([MAIN_QUEST, ...activeQuests.map(({ id }) => id), ...older])
  expect(data.quests.totalCount).toBe(ids.length)
})

test('2.4.8 MUST return the quests of a list with every field', async () => {
  const selection = `id name type status description startTime endTime cap participantsCount loyaltyPoints gasType
     space { id name } chain credentialGroups(address: "${HOLDER_OF_BOTH}") { id rewards { rewardCount } }`
  const { data } = await world.ask<{ quests: { list: unknown[] } }>(
    `{ quests(input: { first: 1 }) { list { ${selection} } } }`,
  )
  expect(data.quests.list).toEqual([(await quest(MAIN_QUEST, selection)).quest])
})

test('2.4.1 MUST count new participants', async () => {
  await world.database.query('UPDATE quests SET participants_count = 11 WHERE quest_id = $1', [MAIN_QUEST])
  world.clock.advance(MINUTE)
  expect((await quest(MAIN_QUEST, 'participantsCount')).quest).toEqual({ participantsCount: 11 })
})

test.each(['0x12', '0xabc', 'EVM:nobody', 'x\\u0000', 'not an address', 'notanaddress', '@alice'])(
  '2.4.5 MUST reject %s, which is no address',
  async (address) => {
    await world.database.query(
      `INSERT INTO quest_credential_groups (quest_id, group_id, name, condition_relation, position)
     VALUES ($1, 'open', 'Open', 'ALL', 9) ON CONFLICT DO NOTHING`,
      [MAIN_QUEST],
    )
    const query = `{ quest(id: "${MAIN_QUEST}") { name credentialGroups(address: "${address}") { rewards { eligible } } } }`
    const { data, errors } = await world.ask<{ quest: { credentialGroups: unknown } }>(query)
    expect(data.quest.credentialGroups).toBeNull()
    expect(errors).toMatchObject([{ message: 'Invalid address', path: ['quest', 'credentialGroups'] }])
  },
)
