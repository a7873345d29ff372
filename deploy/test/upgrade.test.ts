import { createHash, randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { hashOf } from '../../server/src/secrets/hashes.ts'
import { formatToken } from '../../server/src/secrets/token-format.ts'
import { openDatabase } from '../../server/src/database/connection.ts'
import { migrate } from '../../server/src/database/migrate.ts'
import { silentLog } from '../../server/src/logging/log.ts'
import { refreshStarboard } from '../../server/src/ranking/starboards/refresh.ts'
import { ask } from '../../server/test/support/ask.ts'
import { testClock } from '../../server/test/support/clock.ts'
import type { TestDatabase } from '../../server/test/support/database.ts'
import { startService, type TestService } from '../../server/test/support/service.ts'

const FOLDER = join(import.meta.dirname, '../../server/migrations')
const files = readdirSync(FOLDER).toSorted()
/** The schema of a first version; the later migrations run on its data. */
const FIRST = files.filter((name) => name < '20261121T0940')
const TOKEN = formatToken('qbs', randomBytes(32))
const ACCOUNT = '00000000-0000-4000-8000-00000000000d'
const address = (index: number) => `0x${index.toString(16).padStart(40, '0')}`

const clock = testClock()
const name = `test_upgrade_${randomBytes(6).toString('hex')}`
let server: Client
let old: Client
let service: TestService
/** The number of rows in each read during the migrations. */
const readings: number[] = []
/** The session that the migrations waited for. */
let heldBy: string

beforeAll(async () => {
  server = new Client({ ...inject('postgres'), database: 'postgres' })
  await server.connect()
  await server.query(`CREATE DATABASE ${name}`)
  const connection = { ...inject('postgres'), database: name }
  old = new Client(connection)
  await old.connect()
  await asTheFirstVersion(old)
  await fill(old)

  let upgrading = true
  const reading = (async () => {
    while (upgrading) {
      const { rows } = await old.query<{ points: number }>(
        `SELECT points FROM board_entries WHERE space_id = 7 AND sprint_id = 0 ORDER BY points DESC, address LIMIT 10`,
      )
      readings.push(rows.length)
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
  })()
  // Holds its lock like pg_dump, from its beginning to its end.
  const dump = new Client({ ...connection, application_name: 'pg_dump' })
  await dump.connect()
  await dump.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; LOCK TABLE board_entries IN ACCESS SHARE MODE')
  const waiting = Promise.withResolvers<string>()
  const watch = { begins() {}, applied() {}, ended() {}, waits: (_: string, who: string) => waiting.resolve(who) }
  const upgrade = new Client(connection)
  await upgrade.connect()
  const migrating = migrate(upgrade, watch)
  heldBy = await waiting.promise
  const until = readings.length + 20
  while (readings.length < until) await sleep(5)
  await dump.end()
  expect((await migrating).length).toBe(files.length - FIRST.length)
  await upgrade.end()
  upgrading = false
  await reading

  const opened = openDatabase({ connection, readConnections: 2, log: silentLog })
  const database = { ...opened, connection, drop: () => opened.close() } as TestDatabase
  service = await startService({ database, clock })
  await refreshStarboard(service.deps, 'voices')
})
afterAll(async () => {
  await service?.stop()
  await service?.database.close()
  await old?.end()
  await server?.query(`DROP DATABASE ${name} WITH (FORCE)`)
  await server?.end()
})

async function asTheFirstVersion(client: Client): Promise<void> {
  await client.query(`CREATE TABLE schema_migrations (
    name text PRIMARY KEY, checksum text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`)
  for (const file of FIRST) {
    const text = readFileSync(join(FOLDER, file), 'utf8')
    await client.query(text)
    const checksum = createHash('sha256').update(text).digest('hex')
    await client.query('INSERT INTO schema_migrations (name, checksum) VALUES ($1, $2)', [file, checksum])
  }
}

async function fill(client: Client): Promise<void> {
  const now = new Date(clock.now())
  const insert = (text: string, values: unknown[] = []) => client.query(`INSERT INTO ${text}`, values)
  await insert(`accounts VALUES ($1, 'before', $2)`, [ACCOUNT, now])
  await insert(`plans VALUES ('unlimited', NULL, NULL)`)
  await insert(
    `server_tokens (token_id, account_id, name, token_hash, areas, plan, created_at)
     VALUES (gen_random_uuid(), $1, 'before', $2, '{starboard,space,credential,quest}', 'unlimited', $3)`,
    [ACCOUNT, hashOf(TOKEN), now],
  )
  await insert(`spaces (space_id, name, created_at) VALUES (7, 'Space', $1)`, [now])
  await insert(`space_versions VALUES (7, 1)`)
  await insert(`space_version_times VALUES (7, 1, $1)`, [now])
  await insert(`boards VALUES (7, 0, 120)`)
  await insert(
    `board_entries (space_id, sprint_id, points, address, born, username)
     SELECT 7, 0, 1000 - n, '0x' || lpad(to_hex(n), 40, '0'), 1, 'user' || n FROM generate_series(0, 119) n`,
  )
  await insert(
    `credentials (credential_id, name, cred_type, cred_source, last_update, last_sync, item_count)
     VALUES (5, 'Holders', 'EVM_ADDRESS', 'CSV', $1, $1, 1)`,
    [now],
  )
  await insert(`credential_holders VALUES (5, 1, $1)`, [address(3)])
  await insert(
    `quests (quest_id, space_id, name, type, status, auto_status, created_at)
     SELECT 'GCquest' || lpad(n::text, 3, '0'), 7, 'Quest ' || n, 'Drop', 'Active', false, $1 FROM generate_series(1, 3) n`,
    [now],
  )
  await client.query('UPDATE quest_catalogue SET version = 1')
  await insert(
    `quest_listings (quest_id, born, space_id, type, status, created_at)
     SELECT quest_id, 1, space_id, type, status, created_at FROM quests`,
  )
  await insert(`starboards (starboard_id, name, type, created_at) VALUES ('voices', 'Voices', 'TWITTER', $1)`, [now])
  await insert(`starboard_users (starboard_id, handle, username) VALUES ('voices', 'ayo', 'Ayo')`)
  await insert(`score_samples (starboard_id, handle, sampled_at, score) VALUES ('voices', 'ayo', $1, 5)`, [now])
}

async function answer<Data>(query: string): Promise<Data> {
  const { data, errors } = await ask<Data>(service.url, query, { token: TOKEN })
  expect(errors).toBeUndefined()
  return data
}

interface Ranks {
  spaceLoyaltyPointsRanks: {
    totalCount: number
    pageInfo: { hasNextPage: boolean; endCursor: string }
    list: { rank: number; points: number; address: { username: string } }[]
  }
}

test('keeps tokens and boards of the first version, page by page', async () => {
  const page = async (after: string) =>
    answer<Ranks>(`{ spaceLoyaltyPointsRanks(spaceId: 7, cursorAfter: "${after}") {
      totalCount pageInfo { hasNextPage endCursor } list { rank points address { username } } } }`)
  const found = []
  for (let cursor = '', more = true; more;) {
    const { list, totalCount, pageInfo } = (await page(cursor)).spaceLoyaltyPointsRanks
    expect(totalCount).toBe(120)
    found.push(...list)
    ;({ endCursor: cursor, hasNextPage: more } = pageInfo)
  }
  expect(found.map(({ points }) => points)).toEqual(Array.from({ length: 120 }, (_, n) => 1_000 - n))
  expect(found[3]).toEqual({ rank: 4, points: 997, address: { username: 'user3' } })
})

test('keeps holders, quests and starboards', async () => {
  const found = await answer(`{
    credential(id: "5") { itemCount syncStatus yes: eligible(address: "${address(3)}") no: eligible(address: "${address(4)}") }
    quests(input: { spaceId: "7" }) { totalCount list { name status } }
    starboard(id: "voices") {
      leaderboard(pagination: { forward: { first: 5 } }) { edges { node { xUserProfile { username } rank { value } } } } }
  }`)
  expect(found).toMatchObject({
    credential: { itemCount: 1, syncStatus: 'SYNCED', yes: 1, no: 0 },
    quests: { totalCount: 3 },
    starboard: { leaderboard: { edges: [{ node: { xUserProfile: { username: 'Ayo' }, rank: { value: '1' } } }] } },
  })
})

test('serves reads during the upgrade, also while a dump blocks the migrations', () => {
  expect(heldBy).toMatch(/^pg_dump \(process \d+, for \d+ s\)/)
  expect(readings.length).toBeGreaterThan(2)
  expect(new Set(readings)).toEqual(new Set([10]))
})

test('docs/deploy.md names each migration that removes columns or tables of older versions', () => {
  const page = readFileSync(join(FOLDER, '../../docs/deploy.md'), 'utf8')
  const takingAway = files.filter((file) =>
    /\bDROP (COLUMN|TABLE)\b|\bRENAME\b/.test(readFileSync(join(FOLDER, file), 'utf8').replace(/^--.*$/gm, '')),
  )
  expect(takingAway.length).toBeGreaterThan(0)
  for (const file of takingAway) expect(page).toContain(file.replace(/\.sql$/, ''))
})
