import { Client } from 'pg'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { INSTALLATION } from '../src/audit/audit.ts'
import { personCommand } from '../src/command/person.ts'
import { importRecords } from '../src/ingest/import-records.ts'
import { eraseAddress } from '../src/personal-data/erase-address.ts'
import { exportPerson } from '../src/personal-data/export-person.ts'
import { tablesOfAccount, tablesOfNames } from '../src/personal-data/person.queries.ts'
import { eraseAccount } from '../src/personal-data/erase-account.ts'
import { writeRankDay } from '../src/ranking/rank-days.queries.ts'
import { payloadOf } from '../src/webhooks/events.ts'
import { waitingSessions } from './support/database.ts'
import { ask } from './support/ask.ts'
import { giveAwards } from './support/awards.ts'
import { createPersonas, BUSINESS_ACCOUNT, OWNER_ACCOUNT, tokenWithLimits } from './support/personas.ts'
import { startService, type TestService } from './support/service.ts'

interface Ranks {
  totalCount: number
  pageInfo: { endCursor: string }
  list: { rank: number; address: { address: string } }[]
}

const ADDRESS = `0x${'ab'.repeat(20)}`
const OTHER = `0x${'cd'.repeat(20)}`

let service: TestService
beforeAll(async () => {
  service = await startService()
  const { database, clock } = service
  const personas = await createPersonas(service.deps)
  const now = new Date(clock.now())
  await database.query(
    `INSERT INTO identities (account_id, kind, subject, linked_at) VALUES ($1, 'EVMAddress', $2, $3)`,
    [BUSINESS_ACCOUNT, ADDRESS, now],
  )
  await database.query(
    `INSERT INTO sessions (session_hash, session_id, account_id, authenticated_at, last_seen_at, expires_at, user_agent, address)
     VALUES (decode(repeat('01', 32), 'hex'), gen_random_uuid(), $1, $2, $2, $3, 'Firefox', '192.0.2.7')`,
    [BUSINESS_ACCOUNT, now, new Date(clock.now() + 1_000_000)],
  )
  await database.query(
    `INSERT INTO identities (account_id, kind, subject, username, linked_at) VALUES ($1, 'Twitter', '77', 'Quester', $2)`,
    [BUSINESS_ACCOUNT, now],
  )
  await database.query(
    `INSERT INTO security_events (account_id, happened_at, event_id, event, details)
     VALUES ($1, $2, gen_random_uuid(), 'token.plan-changed', jsonb_build_object('plan', 'free', 'by', $3::text))`,
    [BUSINESS_ACCOUNT, now, OWNER_ACCOUNT],
  )
  for (const [table, values] of [
    ['token_usage (token_id, day, operation, status, requests, last_used_at)', `'2026-11-21', 'quest', 200, 7, now()`],
    ['token_requests (token_id, at, request_id, operation, status, milliseconds)', `now(), 'id', 'quest', 200, 7`],
    ['quota_windows (token_id, period, window_start, leased, granted)', `'day', 20778, 7, 7`],
  ])
    await database.query(
      `INSERT INTO ${table}
       SELECT token_id, ${values}
       FROM (SELECT token_id FROM server_tokens UNION ALL SELECT account_id FROM accounts) counted`,
    )
  await database.query(
    `INSERT INTO imports (import_id, account_id, applied_by, undone_by, file_name, replaces, state, created_at, touched_at, ended_at)
     VALUES (gen_random_uuid(), $1, $2, $2, 'points.csv', false, 'stored', $3, $3, $3)`,
    [BUSINESS_ACCOUNT, OWNER_ACCOUNT, now],
  )
  await database.query(`INSERT INTO spaces (space_id, name, created_at) VALUES (7, 'Space', $1)`, [now])
  await database.kysely.transaction().execute((trx) =>
    giveAwards(
      trx,
      [ADDRESS, OTHER].map((address) => ({ spaceId: 7, address, points: 10 })),
      clock,
    ),
  )
  expect(personas.business).toBeDefined()
  await bringInHandles(now)
})
afterAll(() => service.stop())

/** Adds lists of two platforms, starboards with users of the same handle, and a message about two members. */
async function bringInHandles(now: Date): Promise<void> {
  const { database } = service
  await database.query(
    `INSERT INTO credentials (credential_id, name, cred_type, cred_source, last_update, last_sync) VALUES
     (1, 'Followers', 'TWITTER', 'CSV', $1, $1), (2, 'Contributors', 'GITHUB', 'CSV', $1, $1)`,
    [now],
  )
  await database.query(
    `INSERT INTO credential_holders (credential_id, generation, address) VALUES (1, 1, 'quester'), (2, 1, 'quester')`,
  )
  await database.query(`INSERT INTO starboards (starboard_id, name, type, created_at) VALUES
    ('by-id', 'One', 'TWITTER', '${now.toISOString()}'), ('by-handle', 'Two', 'TWITTER', '${now.toISOString()}'),
    ('of-another', 'Three', 'TWITTER', '${now.toISOString()}')`)
  await database.query(`INSERT INTO starboard_users (starboard_id, handle, username, user_id) VALUES
    ('by-id', 'before', 'Before', '77'), ('by-handle', 'quester', 'Quester', ''), ('of-another', 'quester', 'Quester', '78')`)
  const users = 'SELECT starboard_id, handle FROM starboard_users'
  await database.query(`INSERT INTO score_samples (starboard_id, handle, sampled_at, score)
    SELECT starboard_id, handle, '${now.toISOString()}', 5 FROM (${users}) u`)
  await database.query(`INSERT INTO starboard_rankings (starboard_id, version, generation, ranked_at, user_count)
    SELECT starboard_id, 1, 1, '${now.toISOString()}', 1 FROM starboards`)
  await database.query(`INSERT INTO starboard_entries (starboard_id, generation, handle, from_version, score, individual, aura)
    SELECT starboard_id, 1, handle, 1, 5, 0, 0 FROM (${users}) u`)
  await database.query(`INSERT INTO starboard_links (starboard_id, evm_address, handle, linked_order)
    VALUES ('by-handle', '0x${'ef'.repeat(20)}', 'quester', 1)`)
  const awards = [ADDRESS, OTHER].map((address) => ({
    address,
    username: 'name',
    sprintId: null,
    points: 10,
    total: 10,
  }))
  await database.query(
    `INSERT INTO webhook_messages (endpoint_id, event_type, payload, created_at, state)
     VALUES (gen_random_uuid(), 'points.awarded', $1, $2, 'delivered')`,
    [payloadOf('points.awarded', now, { spaceId: 7, version: 1, cause: 'award', awards, omitted: 0 }), now],
  )
}

const exported = (who: Parameters<typeof exportPerson>[1]) =>
  exportPerson(service.database.kysely, who, service.clock.now(), { issuer: 'http://localhost' })

test('exports the data of an account and of its proved addresses', async () => {
  const found = await exported({ accountId: BUSINESS_ACCOUNT })
  expect(found?.addresses).toEqual([ADDRESS, 'quester'])
  expect(found?.account).toMatchObject({
    accounts: [{ name: 'business' }],
    identities: [
      { kind: 'EVMAddress', subject: ADDRESS },
      { kind: 'Twitter', subject: '77' },
    ],
    sessions: [{ user_agent: 'Firefox', address: '192.0.2.7' }],
    imports: [{ file_name: 'points.csv' }],
  })
  expect(found?.account?.server_tokens?.length).toBeGreaterThan(2)
  const tokens = found?.account?.server_tokens?.map(({ token_id }) => token_id) ?? []
  for (const table of ['token_usage', 'token_requests', 'quota_windows'] as const)
    expect(found?.account?.[table]?.map(({ token_id }) => token_id).toSorted()).toEqual(
      [...tokens, BUSINESS_ACCOUNT].toSorted(),
    )
  expect(found?.underAddresses).toMatchObject({
    board_entries: [{ space_id: 7, sprint_id: 0, address: ADDRESS, points: 10 }],
    ledger_entries: [{ address: ADDRESS }],
  })
})

test('exports data under handles from lists of that platform and from starboards where no other user has the handle', async () => {
  const found = await exported({ accountId: BUSINESS_ACCOUNT })
  const boards = (table: string) => found?.underAddresses[table]?.map((row) => row.starboard_id).toSorted()
  expect(found?.underAddresses.credential_holders).toEqual([{ credential_id: 1, address: 'quester' }])
  for (const table of ['starboard_users', 'starboard_entries', 'score_samples'])
    expect({ table, boards: boards(table) }).toEqual({ table, boards: ['by-handle', 'by-id'] })
  expect(boards('starboard_links')).toEqual(['by-handle'])
  const alone = await exported({ address: 'quester' })
  expect(alone?.underAddresses.credential_holders).toHaveLength(2)
  expect(alone?.underAddresses.score_samples).toHaveLength(2)
})

test("exports the account's part of webhook messages", async () => {
  const found = await exported({ accountId: BUSINESS_ACCOUNT })
  expect(found?.underAddresses.webhook_messages).toMatchObject([
    { event_type: 'points.awarded', member: { address: ADDRESS, points: 10 } },
  ])
})

test('exports no data of other users, no hash and no key', async () => {
  const text = JSON.stringify(await exported({ accountId: BUSINESS_ACCOUNT }))
  expect(text).not.toContain(OTHER)
  expect(text).not.toContain(OWNER_ACCOUNT)
  expect(text).not.toMatch(/\\\\x[0-9a-f]|_hash|public_key/)
})

test('exports an address without an account alone', async () => {
  const found = await exported({ address: OTHER })
  expect(found?.account).toBeUndefined()
  expect(found?.underAddresses.board_entries).toHaveLength(1)
  expect(JSON.stringify(found)).not.toContain(ADDRESS)
})

test('records each export of the command in the audit log, without the address', async () => {
  const { database, deps } = service
  const person = personCommand((work) => work(deps))
  const printed = vi.spyOn(console, 'log').mockImplementation(() => {})
  onTestFinished(() => printed.mockRestore())
  const entries = () =>
    database.query(`SELECT account_id, event, address AS network, details FROM security_events
      WHERE event IN ('person.account-exported', 'person.address-exported') ORDER BY happened_at, event`)
  await person.parseAsync(['export', '--account', BUSINESS_ACCOUNT], { from: 'user' })
  await person.parseAsync(['export', '--address', OTHER], { from: 'user' })
  const entry = { network: '', details: { by: 'command' } }
  const stored = [
    { ...entry, account_id: BUSINESS_ACCOUNT, event: 'person.account-exported' },
    { ...entry, account_id: INSTALLATION, event: 'person.address-exported' },
  ]
  expect(await entries()).toEqual(stored)
  expect(printed).toHaveBeenCalledTimes(2)
  const missing = ['export', '--account', '00000000-0000-4000-8000-00000000dead']
  await expect(person.parseAsync(missing, { from: 'user' })).rejects.toMatchObject({ code: 'not_found' })
  expect(await entries()).toEqual(stored)
})

test('erases a spelling of an older version only with --as-stored', async () => {
  const { database, deps } = service
  const old = '1654653399040a61'
  const boards = async () =>
    (await database.query<{ address: string }>('SELECT address FROM board_entries')).map(({ address }) => address)
  await database.kysely
    .transaction()
    .execute((trx) => giveAwards(trx, [{ spaceId: 7, address: old, points: 1 }], service.clock))
  const person = personCommand((work) => work(deps))
  const said = vi.spyOn(console, 'log').mockImplementation(() => {})
  await person.parseAsync(['erase', '--address', old, '--yes'], { from: 'user' })
  expect(await boards()).toContain(old)
  await person.parseAsync(['erase', '--address', old, '--as-stored', '--yes'], { from: 'user' })
  expect(await boards()).not.toContain(old)
  expect(said).toHaveBeenCalledTimes(2)
})

/** Tables with accounts or addresses that are not exported, with the reason. */
const leftOut: Record<string, string> = {
  board_past: 'what board_entries said before, for 40 minutes',
  starboard_places: 'places of starboard_entries',
  starboard_sample_changes: 'work to be done, for seconds',
  other_board_changes: 'changes of board_entries, for 40 minutes',
  authorization_codes: 'lives for minutes',
  challenges: 'lives for minutes',
  webhook_subscriptions: 'repeats webhook_endpoints',
  profile_changes: 'work to be done, for seconds',
  ledger_salts: 'random values; the address is that of ledger_entries',
}

test('exports or excludes every table with accounts or addresses', async () => {
  const columns = await service.database.query<{ table_name: string; column_name: string }>(
    `SELECT table_name, column_name FROM information_schema.columns
     WHERE table_schema = 'public' AND column_name IN
     ('account_id', 'owner_account_id', 'address', 'evm_address', 'handle', 'handles', 'user_id', 'payload')`,
  )
  const covered = new Set([...tablesOfAccount(), ...tablesOfNames(), ...Object.keys(leftOut)])
  expect(columns.filter(({ table_name }) => !covered.has(table_name))).toEqual([])
})

test('removes an address from boards and quests, but not from older pages that a reader has begun', async () => {
  const { database, deps } = service
  const address = `0x${'12'.repeat(20)}`
  const last = `0x${'34'.repeat(20)}`
  const { token } = await tokenWithLimits(deps, { perSecond: null, perDay: null })
  const places = [
    [address, 30],
    [OTHER, 20],
    [last, 10],
  ] as const
  await importRecords(deps, 'spaces', [{ spaceId: 8, name: 'Eight' }])
  await importRecords(deps, 'sprints', [{ spaceId: 8, sprintId: 1 }])
  const sprints = places.flatMap(([member, points]) => [
    { spaceId: 8, address: member, points, username: 'imported' },
    { spaceId: 8, sprintId: 1, address: member, points, username: 'imported' },
  ])
  await importRecords(deps, 'points', sprints)
  await importRecords(deps, 'quests', [{ id: 'GCerase001', spaceId: 8, name: 'Quest', type: 'Drop', cap: 2 }])
  const joins = (...who: string[]) =>
    importRecords(
      deps,
      'participants',
      who.map((member) => ({ questId: 'GCerase001', address: member })),
    )
  const takePart = async () =>
    (await database.query(`SELECT participants_count::int AS count FROM quests WHERE quest_id = 'GCerase001'`))[0]
  await joins(address, OTHER)
  await database.query(
    `INSERT INTO starboard_links (starboard_id, evm_address, handle, linked_order) VALUES ('by-handle', $1, 'quester', 2)`,
    [address],
  )
  await database.query(`INSERT INTO rank_day_boards (space_id, sprint_id, day) VALUES (8, 0, '2026-11-20')`)
  await database.query(`INSERT INTO rank_days VALUES (8, 0, '${address}', '2026-11-20', 1, 30)`)
  const page = async (cursor: string | null) => {
    const query = `query ($after: String) { space(id: 8) { loyaltyPointsRanks(cursorAfter: $after, first: 1) {
      totalCount pageInfo { endCursor } list { rank address { address } } } } }`
    const { data } = await ask(service.url, query, { token, variables: { after: cursor } })
    const { loyaltyPointsRanks } = (data as { space: { loyaltyPointsRanks: Ranks } }).space
    const { totalCount, pageInfo, list } = loyaltyPointsRanks
    return { total: totalCount, cursor: pageInfo.endCursor, who: list.map((at) => [at.rank, at.address.address]) }
  }
  const before = await page(null)
  expect(before).toMatchObject({ total: 3, who: [[1, address]] })

  expect(await eraseAddress(deps, address)).toEqual({ boards: 2, quests: 1, links: 1, bans: 0 })
  expect(await page(null)).toMatchObject({ total: 2, who: [[1, OTHER]] })
  const second = await page(before.cursor)
  expect(second).toMatchObject({ total: 3, who: [[2, OTHER]] })
  expect(await page(second.cursor)).toMatchObject({ total: 3, who: [[3, last]] })
  expect((await exported({ address }))?.underAddresses).toEqual({})
  expect(await eraseAddress(deps, address)).toEqual({ boards: 0, quests: 0, links: 0, bans: 0 })
  // One participant fewer, so a place is free.
  expect(await takePart()).toEqual({ count: 1 })
  await joins(last)
  expect(await takePart()).toEqual({ count: 2 })
  await expect(joins(address)).rejects.toThrow()

  await database.kysely
    .transaction()
    .execute((trx) => giveAwards(trx, [{ spaceId: 8, sprintId: 1, address, points: 15 }], service.clock))
  expect(await page(null)).toMatchObject({ total: 3, who: [[1, OTHER]] })
  expect(await page(second.cursor)).toMatchObject({ total: 3, who: [[3, last]] })
  const counts = `SELECT member_count::int AS n, (SELECT count(*)::int FROM board_entries e
    WHERE e.space_id = b.space_id AND e.sprint_id = b.sprint_id) AS entries FROM boards b WHERE space_id = 8`
  expect(await database.query(counts)).toEqual([1, 2].map(() => ({ n: 3, entries: 3 })))
})

test('keeps no erased address in daily ranks that are written at the same time', async () => {
  const { database, deps } = service
  const address = `0x${'56'.repeat(20)}`
  const held = new Client(database.connection)
  await held.connect()
  onTestFinished(() => held.end())
  const stand = () => importRecords(deps, 'points', [{ spaceId: 9, address, points: 5 }])
  const write = (day: string) => writeRankDay(database.kysely, { spaceId: 9, sprintId: 0 }, day, 10)
  const kept = () => database.query('SELECT day FROM rank_days WHERE space_id = 9')
  const waiting = () => waitingSessions(database)
  await importRecords(deps, 'spaces', [{ spaceId: 9, name: 'Nine' }])

  // The erasure waits for the writer.
  await stand()
  await held.query(`BEGIN; INSERT INTO rank_day_boards VALUES (9, 0, '2026-11-19')`)
  const written = write('2026-11-20')
  await expect.poll(waiting).toBe(1)
  const erased = eraseAddress(deps, address)
  await expect.poll(waiting).toBe(2)
  await held.query('ROLLBACK')
  await Promise.all([written, erased])
  expect(await kept()).toEqual([])

  // The writer waits for the erasure.
  await stand()
  await held.query('BEGIN; LOCK TABLE security_events IN SHARE MODE')
  const erasedAgain = eraseAddress(deps, address)
  await expect.poll(waiting).toBe(1)
  const writtenAfter = write('2026-11-21')
  await expect.poll(waiting).toBe(2)
  await held.query('COMMIT')
  await Promise.all([erasedAgain, writtenAfter])
  expect(await kept()).toEqual([])
})

test('erases an account from all tables, but keeps data under its addresses', async () => {
  // Counts and requests are written later, each in the order of the requests: after these, none is missing.
  const { token, tokenId } = await tokenWithLimits(service.deps, { perSecond: null, perDay: null })
  await ask(service.url, '{ space(id: 8) { name } }', { token })
  for (const table of ['token_usage', 'token_requests']) {
    const written = () => service.database.query(`SELECT FROM ${table} WHERE token_id = $1`, [tokenId])
    await expect.poll(written).toHaveLength(1)
  }

  const counted = (await exported({ accountId: BUSINESS_ACCOUNT }))?.account?.token_usage?.map(
    ({ token_id }) => token_id,
  )
  expect(counted).not.toHaveLength(0)
  expect(await eraseAccount(service.deps, BUSINESS_ACCOUNT)).toBe(true)
  expect(await exported({ accountId: BUSINESS_ACCOUNT })).toBeUndefined()
  expect(await eraseAccount(service.deps, BUSINESS_ACCOUNT)).toBe(false)
  for (const table of tablesOfAccount()) {
    const rows = await service.database.query<{ row: string }>(`SELECT t::text AS row FROM ${table} t`)
    for (const id of [BUSINESS_ACCOUNT, ...(counted ?? [])]) expect(JSON.stringify(rows), table).not.toContain(id)
  }
  expect((await exported({ address: ADDRESS }))?.underAddresses.board_entries).toHaveLength(1)
})
