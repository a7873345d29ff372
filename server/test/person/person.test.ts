import { afterAll, beforeAll, expect, test } from 'vitest'
import { exportPerson } from '../../src/person/export-person.ts'
import { tablesOfAccount, tablesOfAddresses } from '../../src/person/person.queries.ts'
import { endAccount } from '../../src/identity/end-account.ts'
import { giveAwards } from '../support/awards.ts'
import { createPersonas, BUSINESS_ACCOUNT, OWNER_ACCOUNT } from '../support/personas.ts'
import { startService, type TestService } from '../support/service.ts'

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
  await database.query(`INSERT INTO spaces (space_id, name, created_at) VALUES (7, 'Space', $1)`, [now])
  await database.kysely.transaction().execute((trx) =>
    giveAwards(
      trx,
      [ADDRESS, OTHER].map((address) => ({ spaceId: 7, address, points: 10 })),
      clock,
    ),
  )
  expect(personas.business).toBeDefined()
})
afterAll(() => service.stop())

const exported = (who: Parameters<typeof exportPerson>[1]) =>
  exportPerson(service.database.kysely, who, service.clock.now())

test('the export of an account has what is held about it and under the addresses that it has proved', async () => {
  const found = await exported({ accountId: BUSINESS_ACCOUNT })
  expect(found?.addresses).toEqual([ADDRESS])
  expect(found?.account).toMatchObject({
    accounts: [{ name: 'business' }],
    identities: [{ kind: 'EVMAddress', subject: ADDRESS }],
    sessions: [{ user_agent: 'Firefox', address: '192.0.2.7' }],
  })
  expect(found?.account?.server_tokens?.length).toBeGreaterThan(2)
  expect(found?.underAddresses).toMatchObject({
    board_entries: [{ space_id: 7, sprint_id: 0, address: ADDRESS, points: 10 }],
    point_events: [{ address: ADDRESS }],
  })
})

test('it has nothing of anybody else, and no hash or key', async () => {
  const text = JSON.stringify(await exported({ accountId: BUSINESS_ACCOUNT }))
  expect(text).not.toContain(OTHER)
  expect(text).not.toContain(OWNER_ACCOUNT)
  expect(text).not.toMatch(/\\\\x[0-9a-f]|_hash|public_key/)
})

test('an address without an account is exported alone', async () => {
  const found = await exported({ address: OTHER })
  expect(found?.account).toBeUndefined()
  expect(found?.underAddresses.board_entries).toHaveLength(1)
  expect(JSON.stringify(found)).not.toContain(ADDRESS)
})

/** Tables that name accounts or addresses and are left out, with the reason. */
const leftOut: Record<string, string> = {
  board_past: 'what board_entries said before, for 40 minutes',
  authorization_codes: 'lives for minutes',
  challenges: 'lives for minutes',
  webhook_subscriptions: 'repeats webhook_endpoints',
  profile_changes: 'work to be done, for seconds',
}

test('every table that names accounts or addresses is looked at, or says why not', async () => {
  const columns = await service.database.query<{ table_name: string; column_name: string }>(
    `SELECT table_name, column_name FROM information_schema.columns
     WHERE table_schema = 'public' AND column_name IN ('account_id', 'owner_account_id', 'address', 'evm_address')`,
  )
  const covered = new Set([...tablesOfAccount(), ...tablesOfAddresses(), ...Object.keys(leftOut)])
  expect(columns.filter(({ table_name }) => !covered.has(table_name))).toEqual([])
})

test('an account that is erased is nowhere any more, but under its addresses', async () => {
  expect(await endAccount(service.deps, BUSINESS_ACCOUNT)).toBe(true)
  expect(await exported({ accountId: BUSINESS_ACCOUNT })).toBeUndefined()
  expect(await endAccount(service.deps, BUSINESS_ACCOUNT)).toBe(false)
  for (const table of tablesOfAccount()) {
    const rows = await service.database.query<{ row: string }>(`SELECT t::text AS row FROM ${table} t`)
    expect(JSON.stringify(rows), table).not.toContain(BUSINESS_ACCOUNT)
  }
  expect((await exported({ address: ADDRESS }))?.underAddresses.board_entries).toHaveLength(1)
})
