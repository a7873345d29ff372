import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { HOUR, MINUTE } from '../../src/clock.ts'
import { type DemoReport, DEMO_ACCOUNT_ID, loadDemo, PARTNER_ACCOUNT_ID } from '../../src/demo/load-demo.ts'
import { imageSize } from '../../src/images/image-size.ts'
import { importRecords } from '../../src/ingest/import-records.ts'
import { applyDueTransitions } from '../../src/ranking/quests/transitions.ts'
import { refreshStarboard } from '../../src/ranking/starboards/refresh.ts'
import { type TestClock, testClock } from '../support/clock.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'

/** The documentation and the examples use these ids. */
const EXAMPLE_ADDRESS = '0xd8da6bf26964af9d7eed9e03e53415d37aa96045'
const EXAMPLE_QUESTS = {
  active: 'GChdWUjXX3',
  ownPrivate: 'GCp4kVtR2e',
  foreignPrivate: 'GCq9XwLm7b',
  draft: 'GCd2RafT8n',
  deleted: 'GCx7DelQ4z',
  full: 'GCf5FuLL9c',
} as const

let database: TestDatabase
let clock: TestClock
let reports: (DemoReport | undefined)[]
const BEGUN = Date.parse('2026-11-21T12:00:00Z')
beforeAll(async () => {
  database = await createTestDatabase()
  clock = testClock(new Date(BEGUN).toISOString())
  // Interrupts a first load late, then starts two instances at the same moment.
  await database.query('ALTER TABLE quests RENAME TO elsewhere')
  await expect(loadDemo({ database, clock })).rejects.toThrow('quests')
  await database.query('ALTER TABLE elsewhere RENAME TO quests')
  clock.advance(MINUTE)
  reports = await Promise.all([loadDemo({ database, clock }), loadDemo({ database, clock })])
})
afterAll(() => database.drop())

async function one<Row extends object>(sql: string, values: unknown[] = []): Promise<Row> {
  const [row] = await database.query<Row>(sql, values)
  if (!row) throw new Error(`no row: ${sql}`)
  return row
}

describe('loading', () => {
  test('happens in one of several instances, once', async () => {
    expect(reports.filter((report) => report !== undefined)).toHaveLength(1)
    expect(await loadDemo({ database, clock })).toBeUndefined()
  })

  test('reports the created records, each stored once despite an earlier interrupted load', async () => {
    const created = reports.find((report) => report !== undefined)?.created ?? {}
    const tables = {
      spaces: 'spaces',
      starboards: 'starboards',
      samples: 'score_samples',
      credentials: 'credentials',
      holders: 'credential_holders',
      quests: 'quests',
    }
    for (const [kind, table] of Object.entries(tables))
      expect(await one(`SELECT count(*) AS rows FROM ${table}`)).toEqual({ rows: created[kind] })
  })

  test('does not change a database that has other data', async () => {
    const own = await createTestDatabase()
    try {
      await importRecords({ database: own, clock }, 'spaces', [{ spaceId: 1, name: 'Ours' }])
      expect(await loadDemo({ database: own, clock })).toBeUndefined()
      expect(await own.query('SELECT space_id FROM spaces')).toEqual([{ space_id: 1 }])
    } finally {
      await own.drop()
    }
  })
})

describe('the starboards', () => {
  test('"1" ranks 2,000 users by 40 days of samples, including new users and users without a score', async () => {
    expect(await one(`SELECT count(*) AS users FROM starboard_users WHERE starboard_id = '1'`)).toEqual({
      users: 2_000,
    })
    const ranked = await one<Record<string, number>>(
      `SELECT count(*) AS users, count(*) - count(score_24h) AS new_today, count(*) - count(score_30d) AS new_this_month,
         count(*) FILTER (WHERE rank <> previous_rank) AS moved FROM (
           SELECT *, rank() OVER (ORDER BY score DESC) AS rank FROM starboard_entries WHERE starboard_id = '1') AS ranked`,
    )
    expect(ranked).toMatchObject({ users: 1_997 })
    expect(ranked.new_today).toBeGreaterThan(0)
    expect(ranked.new_this_month).toBeGreaterThan(100)
    expect(ranked.moved).toBeGreaterThan(1_000)
    const span = await one<{ days: number }>(
      `SELECT extract(day FROM $1::timestamptz - min(sampled_at))::int AS days FROM score_samples WHERE starboard_id = '1'`,
      [new Date(clock.now())],
    )
    expect(span.days).toBe(40)
  })

  test('scores follow a power law: the first percent has much more than its share', async () => {
    const { share } = await one<{ share: number }>(
      `SELECT (sum(score) FILTER (WHERE position <= 20) / sum(score))::float8 AS share FROM (
         SELECT score, row_number() OVER (ORDER BY score DESC) AS position FROM starboard_entries WHERE starboard_id = '1') AS ranked`,
    )
    expect(share).toBeGreaterThan(0.15)
    expect(share).toBeLessThan(0.5)
  })

  test('have all types of verification, private profiles and users with several wallets', async () => {
    const kinds = await database.query<{ verified_type: string }>(
      'SELECT DISTINCT verified_type FROM starboard_users ORDER BY 1',
    )
    expect(kinds.map((kind) => kind.verified_type)).toEqual(['blue', 'business', 'government', 'none'])
    const profiles = await one<Record<string, number>>(
      `SELECT count(*) FILTER (WHERE NOT is_public) AS hidden,
         (SELECT count(*) FROM (SELECT FROM starboard_links WHERE starboard_id = '1' GROUP BY handle HAVING count(*) > 1) s) AS several
       FROM starboard_users WHERE starboard_id = '1'`,
    )
    expect(profiles.hidden).toBeGreaterThan(30)
    expect(profiles.several).toBeGreaterThan(50)
  })

  test('"2" is on-chain with rewards, "3" has no reward', async () => {
    const boards = await database.query(
      'SELECT starboard_id, type, reward_name IS NOT NULL AS reward FROM starboards ORDER BY 1',
    )
    expect(boards).toEqual([
      { starboard_id: '1', type: 'TWITTER', reward: true },
      { starboard_id: '2', type: 'ONCHAIN', reward: true },
      { starboard_id: '3', type: 'TWITTER', reward: false },
    ])
  })

  test('link a wallet to the same user on every starboard', async () => {
    expect(
      await database.query('SELECT evm_address FROM starboard_links GROUP BY 1 HAVING count(DISTINCT handle) > 1'),
    ).toEqual([])
  })

  test('"1" ranks the example address as a public user', async () => {
    const found = await one(
      `SELECT u.is_public, r.score IS NOT NULL AS ranked FROM starboard_links l JOIN starboard_users u USING (starboard_id, handle)
       LEFT JOIN starboard_entries r USING (starboard_id, handle) WHERE l.starboard_id = '1' AND l.evm_address = $1`,
      [EXAMPLE_ADDRESS],
    )
    expect(found).toEqual({ is_public: true, ranked: true })
  })
})

describe('the spaces', () => {
  test('"40" has 5,500 members and two sprints with separate boards, with ties and members without a name', async () => {
    const boards = await database.query<{ sprint_id: number; members: number; sums: number; addresses: string[] }>(
      `SELECT sprint_id, member_count AS members, (SELECT count(DISTINCT points) FROM board_entries e
         WHERE e.space_id = b.space_id AND e.sprint_id = b.sprint_id) AS sums,
         ARRAY(SELECT address FROM board_entries e
          WHERE e.space_id = b.space_id AND e.sprint_id = b.sprint_id) AS addresses
       FROM boards b WHERE space_id = 40 ORDER BY sprint_id`,
    )
    const profiles = await database.query<{ address: string }>(
      'SELECT address FROM profiles WHERE username IS NOT NULL',
    )
    const named = new Set(profiles.map(({ address }) => address))
    expect(boards.map((board) => board.sprint_id)).toEqual([0, 1, 2])
    expect(boards[0]).toMatchObject({ members: 5_500 })
    for (const board of boards) {
      expect(board.members).toBeGreaterThan(1_000)
      expect(board.sums).toBeLessThan(board.members / 2)
      const nameless = board.addresses.filter((address) => !named.has(address))
      expect(nameless.length).toBeGreaterThan(board.members / 10)
    }
  })

  test('have eight more, one with an empty board and one with another owner', async () => {
    const { rows } = await one<{ rows: number }>('SELECT count(*) AS rows FROM spaces')
    const { filled } = await one<{ filled: number }>('SELECT count(DISTINCT space_id) AS filled FROM board_entries')
    expect([rows, filled]).toEqual([9, 8])
    const owners = await database.query(
      'SELECT owner_account_id AS owner, count(*) AS spaces FROM spaces GROUP BY 1 ORDER BY 2',
    )
    expect(owners).toEqual([
      { owner: PARTNER_ACCOUNT_ID, spaces: 1 },
      { owner: DEMO_ACCOUNT_ID, spaces: 8 },
    ])
  })

  test('have logos that an upload could have made', async () => {
    const logos = await database.query<{ logo: Buffer; logo_version: string }>('SELECT logo, logo_version FROM spaces')
    expect(new Set(logos.map(({ logo_version }) => logo_version)).size).toBe(9)
    for (const { logo } of logos) expect(imageSize(logo)).toEqual({ type: 'image/png', width: 192, height: 192 })
  })

  test('no member has fewer points on the overall board than in all sprints together', async () => {
    const wrong = await database.query(
      `SELECT address FROM board_entries WHERE space_id = 40 GROUP BY address
       HAVING sum(points) FILTER (WHERE sprint_id > 0) > sum(points) FILTER (WHERE sprint_id = 0)`,
    )
    expect(wrong).toEqual([])
  })
})

describe('the credentials', () => {
  test('have every type and most sources, and one of them is SYNCING', async () => {
    const found = await one(
      `SELECT count(DISTINCT cred_type) AS types, count(DISTINCT cred_source) >= 15 AS sources,
         count(*) FILTER (WHERE sync_status = 'SYNCING') AS syncing, count(*) FILTER (WHERE item_count = 0) AS empty FROM credentials`,
    )
    expect(found).toEqual({ types: 6, sources: true, syncing: 1, empty: 0 })
  })

  test('"312969464" has thousands of EVM holders, including the example address', async () => {
    const found = await one(
      `SELECT cred_type, item_count > 4000 AS many, item_count = (SELECT count(*) FROM credential_holders h WHERE h.credential_id = c.credential_id) AS counted,
         EXISTS (SELECT FROM credential_holders h WHERE h.credential_id = c.credential_id AND h.address = $1) AS example
       FROM credentials c WHERE credential_id = 312969464`,
      [EXAMPLE_ADDRESS],
    )
    expect(found).toEqual({ cred_type: 'EVM_ADDRESS', many: true, counted: true, example: true })
  })
})

describe('the quests', () => {
  test('have every status and type, and the example quests have the documented states', async () => {
    const { statuses, types } = await one<{ statuses: number; types: number }>(
      'SELECT count(DISTINCT status) AS statuses, count(DISTINCT type) AS types FROM quests',
    )
    expect([statuses, types]).toEqual([6, 6])
    const examples = await database.query<{ quest_id: string }>(
      'SELECT quest_id, space_id, status, is_private FROM quests WHERE quest_id = ANY($1)',
      [Object.values(EXAMPLE_QUESTS)],
    )
    const byId = Object.fromEntries(examples.map(({ quest_id, ...rest }) => [quest_id, rest]))
    expect(byId).toEqual({
      GChdWUjXX3: { space_id: 40, status: 'Active', is_private: false },
      [EXAMPLE_QUESTS.ownPrivate]: { space_id: 40, status: 'Active', is_private: true },
      [EXAMPLE_QUESTS.foreignPrivate]: { space_id: 48, status: 'Active', is_private: true },
      [EXAMPLE_QUESTS.draft]: { space_id: 40, status: 'Draft', is_private: false },
      [EXAMPLE_QUESTS.deleted]: { space_id: 40, status: 'Deleted', is_private: false },
      [EXAMPLE_QUESTS.full]: { space_id: 40, status: 'CapReached', is_private: false },
    })
  })

  test('"GChdWUjXX3" has an ANY group, an ALL group and several rewards', async () => {
    const groups = await database.query(
      `SELECT condition_relation, (SELECT count(*) FROM quest_conditions c WHERE (c.quest_id, c.group_id) = (g.quest_id, g.group_id)) AS conditions,
         (SELECT count(*) FROM quest_rewards r WHERE (r.quest_id, r.group_id) = (g.quest_id, g.group_id)) AS rewards
       FROM quest_credential_groups g WHERE quest_id = 'GChdWUjXX3' ORDER BY position`,
    )
    expect(groups).toEqual([
      { condition_relation: 'ANY', conditions: 3, rewards: 2 },
      { condition_relation: 'ALL', conditions: 2, rewards: 3 },
    ])
  })

  test('record that the full quest reached its cap through its participants', async () => {
    const transitions = await database.query(
      'SELECT to_status, reason FROM quest_transitions WHERE quest_id = $1 ORDER BY at, from_status DESC',
      [EXAMPLE_QUESTS.full],
    )
    expect(transitions).toEqual([
      { to_status: 'Active', reason: 'published' },
      { to_status: 'CapReached', reason: 'cap' },
    ])
  })

  test('fill several pages of the list, without drafts, deleted and private quests', async () => {
    const listed = await one(
      `SELECT count(*) >= 50 AS pages, count(*) = (SELECT count(*) FROM quests WHERE status NOT IN ('Draft', 'Deleted') AND NOT is_private) AS all
       FROM quest_listings WHERE died = 9223372036854775807`,
    )
    expect(listed).toEqual({ pages: true, all: true })
  })
})

// Moves the clock of this file, so it is the last test.
test('the demo data changes over time: quests change their status, and starboards their ranking', async () => {
  clock.advance(3 * HOUR)
  const moved = await applyDueTransitions({ database, clock })
  expect(moved).toMatchObject([
    { to: 'Active', reason: 'start', at: BEGUN + 30 * MINUTE },
    { to: 'Expired', reason: 'end', at: BEGUN + 120 * MINUTE },
  ])
  expect(await refreshStarboard({ database, clock }, '1')).toMatchObject({ published: true, version: 2 })
})
