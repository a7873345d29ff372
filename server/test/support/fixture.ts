import { createHash } from 'node:crypto'
import { ensurePlans } from '../../src/access/plans.ts'
import { DAY, HOUR, MINUTE } from '../../src/clock.ts'
import { loadConfig } from '../../src/config.ts'
import { type ImportOptions, importRecords } from '../../src/ingest/import-records.ts'
import type { KindName } from '../../src/ingest/kinds.ts'
import type { QuestRecord, Records, SampleRecord } from '../../src/ingest/records.ts'
import { systemRandom } from '../../src/random.ts'
import { refreshStarboard } from '../../src/ranking/starboards/refresh.ts'
import { askAs, type AskAs } from './ask.ts'
import { testClock } from './clock.ts'
import { asTemplate, createTestDatabase, isCluster } from './database.ts'
import { createPersonas, OWNER_ACCOUNT, type Personas } from './personas.ts'
import { startService, type TestService, type TestServiceOptions } from './service.ts'

/** A small world that is the same in every run. */

/** The current time of the fixture. */
export const NOW = Date.parse('2026-11-21T12:00:00.000Z')
export const unix = (milliseconds: number) => Math.floor(milliseconds / 1000)

export interface World extends TestService {
  personas: Personas
  /** Sends queries with a token that can read everything, or with another token. */
  ask: AskAs
}

/** The production service with the world, created by imports, rankings and tokens. */
export async function startWorld(options: TestServiceOptions = {}): Promise<World> {
  if (options.database || isCluster()) {
    const service = await startService(options)
    return worldOf(service, await fill(service))
  }
  const { template, personas } = await (prepared ??= prepare())
  return worldOf(await startService({ ...options, template }), personas)
}

const worldOf = (service: TestService, personas: Personas): World => ({
  ...service,
  personas,
  ask: askAs(service.url, personas),
})

/** Filled once in each process: the imports take longer than the copy of a database. */
let prepared: Promise<{ template: string; personas: Personas }> | undefined

async function prepare(): Promise<{ template: string; personas: Personas }> {
  const database = await createTestDatabase()
  await ensurePlans(database, loadConfig({}))
  const personas = await fill({ database, clock: testClock() })
  return { template: await asTemplate(database), personas }
}

async function fill({ database, clock }: Pick<TestService, 'database' | 'clock'>): Promise<Personas> {
  const personas = await createPersonas({ database, clock, random: systemRandom })
  await loadFixture({ database, clock })
  return personas
}

async function loadFixture({ database, clock }: Pick<TestService, 'database' | 'clock'>): Promise<void> {
  const load = <K extends KindName>(kind: K, records: Records[K][], options?: ImportOptions) =>
    importRecords({ database, clock }, kind, records, options)
  await load('spaces', spaces)
  await database.query('UPDATE spaces SET owner_account_id = $1 WHERE space_id = $2', [OWNER_ACCOUNT, OWNED_SPACE])
  await load('sprints', sprints)
  await load('points', [
    ...members.map((member) => ({ spaceId: 40, ...member })),
    ...sprintMembers.map((member) => ({ spaceId: 40, sprintId: 1, ...member })),
    { spaceId: 41, address: evmAddress(900), points: 7, username: 'solo', avatar: 'https://img.example/solo.png' },
  ])
  await load('starboards', starboards)
  await load('users', [...users.map((user) => ({ starboardId: '1', ...user })), ...onChainUsers])
  await load('samples', samples)
  await load('links', links)
  for (const { id } of starboards.slice(0, 2)) await refreshStarboard({ database, clock }, id)
  await load('credentials', credentials)
  for (const [credentialId, addresses] of Object.entries(holders))
    await load(
      'holders',
      addresses.map((address) => ({ address })),
      { credentialId },
    )
  await load('quests', [...quests, ...activeQuests])
}

/** An address derived from the hash of a number. */
export function evmAddress(number: number): string {
  return `0x${createHash('sha256').update(`member ${number}`).digest('hex').slice(0, 40)}`
}

// Spaces

/** The persona `owner` has its account. */
export const OWNED_SPACE = 43

const spaces: Records['spaces'][] = [
  { spaceId: 40, name: 'Aurora Guild', description: 'Builders of the northern lights.' },
  { spaceId: 41, name: 'Beacon' },
  { spaceId: 42, name: 'Quiet Corner', description: '' },
  { spaceId: OWNED_SPACE, name: 'Harbour', description: 'Members only.' },
]

const sprints: Records['sprints'][] = [
  { spaceId: 40, sprintId: 1, name: 'First light', startTime: new Date(NOW - 30 * DAY), endTime: new Date(NOW - DAY) },
  { spaceId: 40, sprintId: 2, name: 'Nobody yet' },
]

export interface Member {
  address: string
  points: number
  username?: string
  avatar?: string
}

/**
 * 130 members of space 40: first one, then pairs with equal points (2 and 3, … 50 and 51, so a tie crosses the end
 * of the first page), then a member with 0 and one with fewer.
 */
export const members: Member[] = Array.from({ length: 130 }, (_, index) => ({
  address: evmAddress(index),
  points: index === 129 ? -5 : index === 128 ? 0 : 100_000 - 10 * Math.ceil(index / 2),
  ...(index % 2 === 0 ? { username: `member-${index}` } : {}),
  ...(index % 3 === 0 ? { avatar: `https://img.example/${index}.png` } : {}),
}))

/** 60 of them are in sprint 1, all but the best with the same points. */
export const sprintMembers: Member[] = members
  .slice(40, 100)
  .map(({ address }, index) => ({ address, points: index === 30 ? 900 : 500 }))

// Starboards

const starboards: Records['starboards'][] = [
  {
    id: '1',
    name: 'Voices of Aurora',
    projectName: 'Aurora',
    description: 'Who is heard.',
    tags: ['social', 'defi'],
    type: 'TWITTER',
    rewardName: 'Autumn pool',
    rewardDescription: '10,000 AUR',
    rewardStartTime: new Date(NOW - 20 * DAY),
    rewardEndTime: new Date(NOW + 10 * DAY),
  },
  { id: 'onchain', name: 'Builders on chain', type: 'ONCHAIN' },
  { id: 'unranked', name: 'Not ranked yet', type: 'TWITTER' },
]

/** Named users; 56 more users, `user_4` to `user_59`, have decreasing scores. */
const users: Omit<Records['users'], 'starboardId'>[] = [
  {
    username: 'Alice_A',
    userId: '1001',
    name: 'Alice',
    profileImageUrl: 'https://img.example/alice.png',
    followersCount: 12_345,
    verifiedType: 'blue',
  },
  { username: 'bob', userId: '1002', name: 'Bob', followersCount: 77, verifiedType: 'business' },
  { username: 'City_Hall', verifiedType: 'government' },
  { username: 'hidden', isPublic: false },
  { username: 'silent' },
]

const onChainUsers: Records['users'][] = ['miner', 'minter'].map((username) => ({ starboardId: 'onchain', username }))

/** The score by age in hours; Alice overtakes Bob with the newest sample. */
const scores: [handle: string, scores: Record<number, number | string>][] = [
  ['Alice_A', { 960: 300, 720: 400, 168: 800, 24: 900, 6: 950, 0: 1000 }],
  ['bob', { 960: 500, 720: 500, 168: 900, 24: 960, 6: 960, 0: '980.5' }],
  ['City_Hall', { 3: 700 }],
  ['hidden', { 720: 690, 24: 690, 0: 690 }],
  ...Array.from({ length: 56 }, (_, index): [string, Record<number, number>] => {
    const score = 600 - 10 * Math.floor(index / 2) // pairs of equal scores
    return [`user_${index + 4}`, { 960: score, 720: score, 168: score, 24: score, 0: score }]
  }),
]

const samples: SampleRecord[] = [
  ...scores.flatMap(([handle, byAge]) =>
    Object.entries(byAge).map(([age, score]) => ({
      starboardId: '1',
      handle,
      sampledAt: new Date(NOW - Number(age) * HOUR),
      score,
      ...(handle === 'Alice_A' ? { individual: 640, aura: 360 } : {}),
    })),
  ),
  { starboardId: 'onchain', handle: 'miner', sampledAt: new Date(NOW - HOUR), score: '12.5' },
  { starboardId: 'onchain', handle: 'minter', sampledAt: new Date(NOW - HOUR), score: 50 },
]

/** Users of starboard 1 by rank. */
export const RANKED_USERS = scores.length

export const ALICE_MAIN = `0x${'a1'.repeat(20)}`
export const ALICE_SECOND = `0x${'a2'.repeat(20)}`
export const HIDDEN = `0x${'b1'.repeat(20)}`
/** Linked, but without a score. */
export const SILENT = `0x${'c1'.repeat(20)}`
export const NOBODY = `0x${'00'.repeat(20)}`

const links: Records['links'][] = [
  { starboardId: '1', evmAddress: ALICE_MAIN, handle: 'Alice_A' },
  { starboardId: '1', evmAddress: ALICE_SECOND, handle: 'Alice_A' },
  { starboardId: '1', evmAddress: HIDDEN, handle: 'hidden' },
  { starboardId: '1', evmAddress: SILENT, handle: 'silent' },
]

// Credentials

/** An id that a double cannot represent, and its rounded value. */
export const BIG_ID = '900719925474099313'
export const ROUNDED_ID = String(BigInt(Number(BIG_ID)))

const at = (age: number) => new Date(NOW - age)

const credentials: Records['credentials'][] = [
  {
    id: '312969464',
    name: 'Follows Aurora',
    description: 'Follow @aurora on X.',
    credType: 'TWITTER',
    credSource: 'TWITTER_FOLLOW',
    referenceLink: 'https://x.com/aurora',
    curatorSpaceId: 40,
    lastUpdate: at(DAY),
    lastSync: at(HOUR),
  },
  { id: '500', name: 'Genesis holder', credType: 'EVM_ADDRESS', credSource: 'CONTRACT_NFT_HOLDER', chain: 'ETHEREUM' },
  { id: '501', name: 'Early swapper', credType: 'EVM_ADDRESS', credSource: 'CSV' },
  { id: '502', name: 'Solana saver', credType: 'SOLANA_ADDRESS', credSource: 'WALLET_BALANCE', syncStatus: 'SYNCING' },
  { id: '503', name: 'In the hall', credType: 'DISCORD', credSource: 'DISCORD_MEMBER' },
  { id: '504', name: 'Contributor', credType: 'GITHUB', credSource: 'API' },
  { id: BIG_ID, name: 'Quiz of the big number', credType: 'EMAIL', credSource: 'QUIZ' },
  { id: ROUNDED_ID, name: 'What rounding would find', credType: 'EMAIL', credSource: 'QUIZ' },
]

/** Holds 500 and 501. */
export const HOLDER_OF_BOTH = `0x${'d1'.repeat(20)}`
/** Holds 500 only. */
export const HOLDER_OF_ONE = `0x${'d2'.repeat(20)}`
export const SOLANA_HOLDER = '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU'

const holders: Record<string, string[]> = {
  '312969464': ['@alice_a', 'Bob'],
  '500': [HOLDER_OF_BOTH.toUpperCase().replace('0X', '0x'), HOLDER_OF_ONE],
  '501': [`EVM:${HOLDER_OF_BOTH}`],
  '502': [SOLANA_HOLDER],
  [BIG_ID]: ['ada@example.org'],
}

// Quests

export const MAIN_QUEST = 'GChdWUjXX3'

const base = { spaceId: 40, createdAt: at(40 * DAY) }

const quests: QuestRecord[] = [
  {
    ...base,
    id: MAIN_QUEST,
    name: 'Light the beacon',
    description: 'Hold, swap and shine.',
    type: 'Drop',
    status: 'Active',
    startTime: at(DAY),
    endTime: at(-DAY),
    cap: 100,
    participantsCount: 10,
    loyaltyPoints: 25,
    gasType: 'Gas',
    chain: 'ETHEREUM',
    createdAt: at(-MINUTE),
    credentialGroups: [
      {
        id: 'all',
        name: 'Both',
        conditionRelation: 'ALL',
        conditions: [{ expression: 'Genesis holder', credentialId: '500' }, { credentialId: '501' }],
        rewards: [
          { expression: 'Aurora NFT', rewardType: 'NFT', rewardCount: 1 },
          { expression: '25 points', rewardType: 'LOYALTYPOINTS', rewardCount: 25 },
        ],
      },
      {
        id: 'any',
        name: 'One of two',
        conditionRelation: 'ANY',
        conditions: [{ credentialId: '500' }, { credentialId: '501' }],
        rewards: [{ expression: 'OAT', rewardType: 'OAT', rewardCount: 2 }],
      },
    ],
  },
  { ...base, id: 'GCstarts01', name: 'Tomorrow', type: 'MysteryBox', status: 'NotStarted', startTime: at(-DAY) },
  { ...base, id: 'GCdraft001', name: 'In the making', type: 'Points', status: 'Draft' },
  { ...base, id: 'GCdelete01', name: 'Gone', type: 'Drop', status: 'Deleted' },
  { ...base, id: 'GCover0001', name: 'Over', type: 'Airdrop', status: 'Expired', endTime: at(DAY) },
  { ...base, id: 'GCfull0001', name: 'Full', type: 'Points', status: 'CapReached', cap: 5, participantsCount: 5 },
  { ...base, id: 'GCprivate1', name: 'Members only', type: 'Drop', status: 'Active', isPrivate: true, spaceId: 43 },
  { ...base, id: 'GCauto0001', name: 'Ends in an hour', type: 'ExternalLink', endTime: at(-HOUR) },
  { ...base, id: 'GCauto0002', name: 'Starts in an hour', type: 'Bounty', startTime: at(-HOUR) },
]

/** 30 active quests of space 41, newest first, with two alternating types. */
export const activeQuests: QuestRecord[] = Array.from({ length: 30 }, (_, index) => ({
  id: `GCactive${String(index).padStart(2, '0')}`,
  spaceId: 41,
  name: `Daily ${index}`,
  type: index % 2 === 0 ? 'Drop' : 'ExternalLink',
  status: 'Active',
  createdAt: at((Math.floor(index / 2) + 1) * HOUR), // Pairs have the same time.
}))
