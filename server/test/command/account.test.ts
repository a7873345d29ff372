import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { questboard, urlOf } from './questboard.ts'

const ADA = '4b1e0c1a-2c3d-4e5f-8a9b-0c1d2e3f4a5b'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
  await database.query(`INSERT INTO accounts (account_id, name, created_at) VALUES ($1, 'Acme', now())`, [ADA])
  await database.query(`INSERT INTO usernames (username, account_id) VALUES ('acme', $1)`, [ADA])
  await database.query(
    `INSERT INTO identities (account_id, kind, subject, username, linked_at) VALUES ($1, 'Discord', '4711', 'ada', now())`,
    [ADA],
  )
})
afterAll(() => database.drop())
const run = (...args: string[]) =>
  questboard(args, {
    DATABASE_URL: urlOf(database.connection),
    QUESTBOARD_SECRET: 'a secret of at least thirty-two characters',
  })
const outcome = ({ code, stdout }: { code: number | null; stdout: string }) => [code, stdout]
const entries = async () =>
  (await database.query(`SELECT event FROM security_events WHERE account_id = $1 ORDER BY happened_at`, [ADA])).map(
    ({ event }) => event as string,
  )

describe('the name of an account that a user can sign in to', () => {
  it.each([
    [['account', 'suspend', 'acme', '--reason', 'stolen']],
    [['account', 'resume', 'Acme']],
    [['ban', 'create', '--account', 'ACME', '--reason', 'spam']],
    [['ban', 'list', '--account', 'Acme']],
  ])('%j rejects it, and prints the identities of the account', async (words) => {
    const { code, stdout, stderr } = await run(...words)
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(/^(?:--account: )?"Acme" is the name of a user's account/)
    for (const fact of [ADA, 'Discord 4711 (ada)']) expect(stderr).toContain(fact)
    expect(await database.query('SELECT 1 FROM bans')).toEqual([])
    expect(await entries()).toEqual([])
  })
})

it.each([['nobody'], ['4b1e0c1a-2c3d-4e5f-8a9b-000000000000']])('rejects the unknown account %s', async (account) => {
  const { code, stderr } = await run('account', 'suspend', account, '--reason', 'stolen')
  expect([code, stderr]).toEqual([1, expect.stringContaining(`"${account}". `)])
})

it('suspends and resumes an account by its ID; a repeated action succeeds and changes nothing', async () => {
  const suspend = (...more: string[]) => run('account', 'suspend', ADA, '--reason', 'stolen', ...more)
  const resume = () => run('account', 'resume', ADA)
  expect(outcome(await suspend())).toEqual([0, expect.stringContaining(`Acme (${ADA}) is suspended:`)])
  expect(outcome(await suspend())).toEqual([0, expect.stringContaining('is already suspended; nothing was changed')])
  const { stdout } = await suspend('--json')
  expect(JSON.parse(stdout)).toMatchObject({ accountId: ADA, reason: 'stolen', sessions: 0, webhooks: 0 })
  expect((await run('account', 'suspend', ADA, '--reason', 'spam')).code).toBe(1)
  expect(outcome(await resume())).toEqual([0, expect.stringContaining('is no longer suspended')])
  expect(outcome(await resume())).toEqual([0, expect.stringContaining('is not suspended; nothing was changed')])
  expect(await entries()).toEqual(['account.suspended', 'account.resumed'])
})

it('accepts the name of an account that no user can sign in to', async () => {
  expect((await run('token', 'create', '--account', 'shop', '--name', 'a token')).code).toBe(0)
  expect(outcome(await run('account', 'suspend', 'Shop', '--reason', 'closed'))).toEqual([
    0,
    expect.stringMatching(/^shop \(.*\) is suspended/),
  ])
  expect((await run('ban', 'list', '--account', 'shop')).code).toBe(0)
})

it('says that a short ID of a board is not an address', async () => {
  const { code, stdout } = await run('ban', 'create', '--address', '0b4e7a0e5f', '--reason', 'spam')
  expect([code, stdout]).toEqual([0, expect.stringContaining('the short ID of a board is not an address')])
})

it('bans once; a repeated command succeeds and changes nothing, and one with another reason or end fails', async () => {
  const ban = (...more: string[]) => run('ban', 'create', '--address', 'repeated@example.org', ...more)
  const [reason, until] = [
    ['--reason', 'Several accounts'],
    ['--until', '2030-01-01T00:00:00Z'],
  ]
  expect(outcome(await ban(...reason, ...until))).toEqual([0, expect.stringContaining('Several accounts')])
  expect(outcome(await ban(...reason, ...until))).toEqual([0, expect.stringContaining('nothing was changed')])
  expect((await ban(...reason)).code).toBe(1)
  expect((await ban('--reason', 'Another one', ...until)).code).toBe(1)
})

it('lifts a ban once; a repeated lift succeeds, prints the ban and changes nothing', async () => {
  const { stdout } = await run('ban', 'create', '--account', ADA, '--reason', 'spam', '--json')
  const { id } = JSON.parse(stdout) as { id: string }
  expect(outcome(await run('ban', 'lift', id))).toEqual([0, expect.stringContaining('Lifted the ban')])
  expect(outcome(await run('ban', 'lift', id))).toEqual([0, expect.stringContaining('has already ended')])
  expect(JSON.parse((await run('ban', 'lift', id, '--json')).stdout)).toMatchObject({ id, endCause: 'lifted' })
})

it('rejects an address that no board can have, instead of listing all bans', async () => {
  const { code, stderr } = await run('ban', 'list', '--address', '')
  expect([code, stderr]).toEqual([1, expect.stringContaining('address must be an address of a chain')])
})

const MISSING = '--account or --address is missing.'
const EXCLUDED = '--account and --address are both given; name one of them.'

it.each([
  [['--address', '0x12'], '--address must be a whole wallet address '],
  [['--address', 'spam@example.org', '--until', 'tomorrow'], '--until must be a time such as 2026-12-31T00:00:00Z'],
  [['--address', 'spam@example.org', '--until', '2020-01-01T00:00:00Z'], '--until must be in the future; now: '],
  [[], MISSING],
  [['--address', 'spam@example.org', '--account', ADA], EXCLUDED],
])('refuses the ban %j, names the options, and stores nothing', async (words, message) => {
  await database.query('DELETE FROM bans')
  const { code, stderr } = await run('ban', 'create', '--reason', 'spam', ...words)
  expect([code, stderr]).toEqual([1, expect.stringMatching(new RegExp(`^${message}`))])
  expect(await database.query('SELECT 1 FROM bans')).toEqual([])
})

it.each([
  [['--at', 'yesterday'], '--at must be a time such as 2026-11-24T12:00:00Z'],
  [['--at', '2999-01-01T00:00:00Z'], '--at must not be in the future'],
])('refuses the snapshot %j, and names the option', async (words, message) => {
  const { code, stderr } = await run('snapshot', 'create', '--space', '40', '--dry-run', ...words)
  expect([code, stderr]).toEqual([1, expect.stringContaining(message)])
})
