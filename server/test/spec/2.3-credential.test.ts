import { afterAll, expect, test } from 'vitest'
import { DAY, HOUR } from '../../src/clock.ts'
import { firstError } from '../support/ask.ts'
import {
  BIG_ID,
  HOLDER_OF_BOTH,
  HOLDER_OF_ONE,
  MAIN_QUEST,
  NOBODY,
  NOW,
  ROUNDED_ID,
  SOLANA_HOLDER,
  startWorld,
  unix,
} from '../support/fixture.ts'
import { enumValues, fieldTypes } from '../support/introspect.ts'

const world = await startWorld()
afterAll(() => world.stop())

const credential = async (id: string, selection: string, persona?: 'owner') => {
  const { data, errors } = await world.ask<{ credential: Record<string, unknown> | null }>(
    `query ($credId: ID!) { credential(id: $credId) { ${selection} } }`,
    { credId: id },
    persona,
  )
  return { credential: data.credential, error: firstError({ errors }) }
}

const eligible = async (id: string, address: string) =>
  (await credential(id, `eligible(address: "${address}")`)).credential?.eligible

test('2.3.1 MUST return every field of credential(id)', async () => {
  const { credential: found } = await credential(
    '312969464',
    `id name description credType credSource chain referenceLink itemCount lastUpdate lastSync syncStatus
     curatorSpace { id name } eligible(address: "alice_a")`,
  )
  expect(found).toEqual({
    id: '312969464',
    name: 'Follows Aurora',
    description: 'Follow @aurora on X.',
    credType: 'TWITTER',
    credSource: 'TWITTER_FOLLOW',
    chain: null,
    referenceLink: 'https://x.com/aurora',
    itemCount: 2,
    lastUpdate: unix(NOW),
    lastSync: unix(NOW),
    syncStatus: 'SYNCED',
    curatorSpace: { id: '40', name: 'Aurora Guild' },
    eligible: 1,
  })
  expect(await fieldTypes(world, 'Credential')).toEqual({
    id: 'ID!',
    name: 'String!',
    description: 'String!',
    credType: 'CredType!',
    credSource: 'CredSource!',
    chain: 'String',
    referenceLink: 'String!',
    itemCount: 'Int',
    lastUpdate: 'UnixTime!',
    lastSync: 'UnixTime!',
    syncStatus: 'SyncStatus!',
    curatorSpace: 'Space',
    eligible: 'Int',
  })
})

test('2.3.1 MUST find an id above 2^53 without rounding it', async () => {
  expect((await credential(BIG_ID, 'id name')).credential).toEqual({ id: BIG_ID, name: 'Quiz of the big number' })
  expect((await credential(ROUNDED_ID, 'id name')).credential).toEqual({
    id: ROUNDED_ID,
    name: 'What rounding would find',
  })
})

test.each(['999', '0312969464', '-1', '3.1e8', 'abc', '', '99999999999999999999'])(
  '2.3.1 MUST return null and an error for the unknown id %j',
  async (id) => {
    expect(await credential(id, 'id')).toEqual({ credential: null, error: 'NOT_FOUND 404 Credential not found' })
  },
)

test('2.3.2 MUST support six platforms', async () => {
  expect(await enumValues(world, 'CredType')).toEqual([
    'TWITTER',
    'DISCORD',
    'EVM_ADDRESS',
    'SOLANA_ADDRESS',
    'GITHUB',
    'EMAIL',
  ])
  const types = await Promise.all(
    ['312969464', '503', '500', '502', '504', BIG_ID].map((id) => credential(id, 'credType')),
  )
  expect(types.map((one) => one.credential?.credType)).toEqual(await enumValues(world, 'CredType'))
})

test('2.3.3 MUST support the verification methods of the specification and of real responses', async () => {
  const values = await enumValues(world, 'CredSource')
  expect(values.slice(0, 6)).toEqual([
    'TWITTER_FOLLOW',
    'DISCORD_MEMBER',
    'CONTRACT_NFT_HOLDER',
    'WALLET_BALANCE',
    'QUIZ',
    'API',
  ])
  expect(values.slice(6).sort()).toEqual([
    'CSV',
    'GITHUB_CONTRIBUTOR',
    'GOOGLE_SHEET',
    'GRAPHQL',
    'REST',
    'SNAPSHOT_ORG',
    'SUBGRAPH',
    'SURVEY',
    'TWITTER_LIKE',
    'TWITTER_RT',
    'VISIT_LINK',
  ])
  expect((await credential('502', 'credSource')).credential).toEqual({ credSource: 'WALLET_BALANCE' })
})

test('2.3.4 MUST return whether the list is current', async () => {
  expect((await credential('500', 'syncStatus')).credential).toEqual({ syncStatus: 'SYNCED' })
  expect((await credential('502', 'syncStatus')).credential).toEqual({ syncStatus: 'SYNCING' })
  expect(await enumValues(world, 'SyncStatus')).toEqual(['SYNCED', 'SYNCING'])
})

test('2.3.5 MUST count the holders', async () => {
  const counts = await Promise.all(['312969464', '500', '501', '503'].map((id) => credential(id, 'itemCount')))
  expect(counts.map((one) => one.credential?.itemCount)).toEqual([2, 2, 1, 0])
})

test('2.3.6 MUST return lastSync and lastUpdate as JSON integers in Unix seconds, also after 2038', async () => {
  await world.database.query(
    `UPDATE credentials SET last_sync = $1, last_update = '2106-02-07T06:28:16.9Z' WHERE credential_id = 503`,
    [new Date(NOW - 30 * DAY + HOUR)],
  )
  expect((await credential('503', 'lastSync lastUpdate')).credential).toEqual({
    lastSync: unix(NOW - 30 * DAY + HOUR),
    lastUpdate: 4_294_967_296,
  })
})

test('2.3.7 MUST return the curator space or null', async () => {
  expect((await credential('312969464', 'curatorSpace { id name }')).credential).toEqual({
    curatorSpace: { id: '40', name: 'Aurora Guild' },
  })
  expect((await credential('500', 'curatorSpace { id name }')).credential).toEqual({ curatorSpace: null })
})

test('2.3.8 MUST return 1 or 0 as eligible for an address in any spelling', async () => {
  expect(await eligible('500', HOLDER_OF_ONE)).toBe(1)
  expect(await eligible('500', HOLDER_OF_ONE.toUpperCase().replace('0X', '0x'))).toBe(1)
  expect(await eligible('500', `EVM:${HOLDER_OF_ONE}`)).toBe(1)
  expect(await eligible('501', HOLDER_OF_ONE)).toBe(0)
  expect(await eligible('501', HOLDER_OF_BOTH)).toBe(1)
  expect(await eligible('500', NOBODY)).toBe(0)
  expect(await eligible('502', SOLANA_HOLDER)).toBe(1)
  expect(await eligible('312969464', '@ALICE_A')).toBe(1)
  expect(await eligible('312969464', 'carol')).toBe(0)
  expect(await eligible(BIG_ID, 'Ada@Example.org')).toBe(1)
})

test('2.3.8 MUST return 0 for an address of another chain or another kind of identity', async () => {
  const others = [SOLANA_HOLDER, `0x${'ab'.repeat(32)}`, '0xe467b9dd11fa00df', 'ada@example.org']
  for (const address of others) expect(await eligible('500', address), address).toBe(0)
  expect(await eligible('502', HOLDER_OF_ONE)).toBe(0)
  const campaign = `eligible(address: "${SOLANA_HOLDER}", campaignId: "GCunknown1")`
  expect((await credential('500', campaign)).error).toBe('NOT_FOUND 404 Quest not found')
})

test.each([
  `${HOLDER_OF_ONE}0`,
  '0x12',
  'EVM:nobody',
  'x\\u0000',
  'notanaddress',
  '@alice',
  '12345',
  'a@',
  '1'.repeat(40),
])('2.3.8 MUST reject %s, which is no address, for a credential of addresses', async (address) => {
  expect(await credential('500', `name eligible(address: "${address}")`)).toEqual({
    credential: { name: 'Genesis holder', eligible: null },
    error: 'INVALID_ARGUMENT 400 Invalid address',
  })
})

test.each(['alice', '@alice', '12345', 'Ada Lovelace', NOBODY])(
  '2.3.8 MUST accept %s for a credential of handles or e-mail addresses',
  async (name) => {
    for (const id of ['312969464', BIG_ID]) expect(await eligible(id, name)).toBeOneOf([0, 1])
  },
)

test.each(['@', '@ ', 'x\\u0000'])(
  '2.3.8 MUST reject %j, which is no name, for a credential of handles or e-mail addresses',
  async (name) => {
    for (const id of ['312969464', BIG_ID])
      expect((await credential(id, `eligible(address: "${name}")`)).error).toBe('INVALID_ARGUMENT 400 Invalid address')
  },
)

test('2.3.9 MUST accept a campaignId of a quest that uses the credential', async () => {
  const within = (id: string, campaignId: string, persona?: 'owner') =>
    credential(id, `eligible(address: "${HOLDER_OF_ONE}", campaignId: ${campaignId})`, persona)
  expect((await within('500', `"${MAIN_QUEST}"`)).credential).toEqual({ eligible: 1 })
  expect((await within('501', `"${MAIN_QUEST}"`)).credential).toEqual({ eligible: 0 })
  expect((await within('500', 'null')).credential).toEqual({ eligible: 1 })
  const notFound = { credential: { eligible: null }, error: 'NOT_FOUND 404 Quest not found' }
  expect(await within('500', '"GCunknown1"')).toEqual(notFound)
  expect(await within('312969464', `"${MAIN_QUEST}"`)).toEqual(notFound)
  expect(await within('504', `"${MAIN_QUEST}"`)).toEqual(notFound)
})
