import { Command } from 'commander'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { listAccounts } from '../../src/command/named-account.queries.ts'
import { ensurePlans } from '../../src/access/plans.ts'
import { systemClock } from '../../src/clock.ts'
import { asTyped, calledAs } from '../../src/settings/called-as.ts'
import { explain } from '../../src/command/explain.ts'
import { usageCommand } from '../../src/command/usage.ts'
import { ConfigError, databaseSettings, loadConfig } from '../../src/config.ts'
import type { Dependencies } from '../../src/services.ts'
import { invalidField, notFound } from '../../src/errors.ts'
import { invalid as invalidSnapshot } from '../../src/snapshots/snapshot-error.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import server from '../../package.json' with { type: 'json' }
import { questboard, urlOf } from './questboard.ts'

let database: TestDatabase
let settings: Record<string, string>
beforeAll(async () => {
  database = await createTestDatabase()
  settings = { DATABASE_URL: urlOf(database.connection) }
})
afterAll(() => database.drop())

const create = (...more: string[]) => questboard(['token', 'create', '--name', 'a token', ...more], settings)

test('creates a token for an account by name or id, and creates the account if the name is new', async () => {
  expect(await create('--account', 'Shop')).toMatchObject({ code: 0 })
  const [shop, ...others] = await listAccounts(database.kysely)
  expect([shop?.name, others]).toEqual(['Shop', []])
  expect(await create('--account', 'shop')).toMatchObject({ code: 0 })
  expect(await create('--account', shop?.accountId.toUpperCase() ?? '')).toMatchObject({ code: 0 })
  expect(await listAccounts(database.kysely)).toMatchObject([{ name: 'Shop', tokens: 3 }])
  const events = await database.query(`SELECT event FROM security_events WHERE details ->> 'by' = 'command'`)
  expect(events).toEqual(Array(3).fill({ event: 'token.created' }))

  // Settings that the command does not use may be invalid.
  const { code, stdout } = await questboard(['token', 'list'], {
    ...settings,
    QUESTBOARD_SMTP_URL: 'nonsense',
    PORT: 'x',
  })
  expect(code).toBe(0)
  const records = [...stdout.matchAll(/^[0-9a-f-]{36} {2}a token\n {4}(.*)$/gm)].map(([, facts]) => facts)
  expect(records).toEqual(
    Array(3).fill('account Shop; plan free; starboard, space, credential, quest; does not expire; never used'),
  )
})

test('creates a publishable token, lists its origins and spaces, and regenerates it', async () => {
  await database.query(`INSERT INTO spaces VALUES (40, 'Forty', '', NULL, now())`)
  const page = ['--publishable', '--origins', 'https://a.example, http://localhost:5173', '--spaces', '40']
  const made = await create(...page)
  expect([made.code, made.stdout]).toEqual([0, expect.stringContaining('qbp_')])
  const { stdout } = await questboard(['token', 'list'], settings)
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
    'space; publishable at https://a.example, http://localhost:5173; spaces: 40; does not expire',
  )
  const [row] = await database.query<{ id: string }>(
    'SELECT token_id AS id FROM server_tokens WHERE origins IS NOT NULL',
  )
  const renewed = await questboard(['token', 'regenerate', row?.id ?? ''], settings)
  expect([renewed.code, renewed.stdout]).toEqual([0, expect.stringContaining('qbp_')])
})

test.each([
  [['--publishable'], 'needs 1 to 20 origins'],
  [['--publishable', '--origins', 'https://a.example'], 'needs at least one space'],
  [['--publishable', '--origins', 'http://a.example', '--spaces', '40'], 'must use https'],
  [['--publishable', '--origins', 'https://a.example', '--spaces', 'x'], 'must be numeric ids'],
  [['--publishable', '--origins', 'https://a.example', '--spaces', '999'], 'No space has the id 999'],
  [['--origins', 'https://a.example'], 'add --publishable'],
])('creates no token with %j', async (options, says) => {
  const count = () => database.query('SELECT FROM server_tokens')
  const before = (await count()).length
  const { code, stderr } = await create(...options)
  expect([code, stderr]).toEqual([1, expect.stringContaining(says)])
  expect(await count()).toHaveLength(before)
})

test('keeps the quota that the service wrote at its start', async () => {
  const free = () => database.query(`SELECT per_second, per_day FROM plans WHERE plan = 'free'`)
  await ensurePlans(database, { freePlan: { perSecond: 3, perDay: 5 } })
  expect(await create()).toMatchObject({ code: 0 })
  expect(await free()).toEqual([{ per_second: 3, per_day: 5 }])
})

test('rejects an unknown account id and creates no account', async () => {
  const before = await listAccounts(database.kysely)
  const { code, stderr } = await create('--account', '00000000-0000-4000-8000-00000000dead')
  expect([code, stderr]).toEqual([1, expect.stringContaining('No account has the id')])
  expect(await create('--account', ' ')).toMatchObject({ code: 1 })
  expect(await listAccounts(database.kysely)).toEqual(before)
})

describe('--account with the name of an account that a user can sign in to', () => {
  const victim = '0bce9bd4-35b1-4b3c-a0c2-5e7e52d0a001'
  beforeAll(async () => {
    await database.query(`INSERT INTO accounts VALUES ($1, 'Acme', '2026-11-20T10:00:00Z')`, [victim])
    await database.query(`INSERT INTO usernames VALUES ('acme', $1)`, [victim])
    await database.query(
      `INSERT INTO identities (account_id, kind, subject, username, linked_at) VALUES ($1, 'Discord', '4711', 'ada', now())`,
      [victim],
    )
  })
  const passkeys = () =>
    database.query(
      `INSERT INTO passkeys (passkey_id, account_id, public_key, sign_count, transports, created_at)
       VALUES ('key', $1, '', 0, '{}', now())`,
      [victim],
    )
  const owned = () =>
    database.query(
      `SELECT count(*)::int FROM (SELECT account_id FROM server_tokens UNION ALL SELECT account_id FROM ingest_tokens
       UNION ALL SELECT account_id FROM webhook_endpoints) AS o WHERE account_id = $1`,
      [victim],
    )

  test.each([
    [['token', 'create', '--name', 'a token']],
    [['ingest-token', 'create', '--name', 'a token', '--all']],
    [['webhook', 'create', '--url', 'https://hooks.example/', '--events', 'points.awarded', '--space', '40']],
  ])('%j rejects it, and prints facts about the account', async (words) => {
    const { code, stdout, stderr } = await questboard([...words, '--account', 'ACME'], {
      ...settings,
      QUESTBOARD_SECRET: 'a secret of at least thirty-two characters',
    })
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(/^--account: "Acme" is the name of a user's account/)
    for (const fact of [victim, '2026-11-20T10:00:00Z', 'Discord 4711 (ada)']) expect(stderr).toContain(fact)
    expect(await owned()).toEqual([{ count: 0 }])
  })

  test('commands reject it if a passkey is its only sign-in method, and accept its id', async () => {
    await database.query('DELETE FROM identities WHERE account_id = $1', [victim])
    await passkeys()
    const refused = await create('--account', 'Acme')
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('passkeys (1)')])
    expect(await create('--account', victim)).toMatchObject({ code: 0 })
    expect(await owned()).toEqual([{ count: 1 }])
  })
})

test('names an invalid setting that the command needs, and ignores the other invalid ones', () => {
  const broken = { QUESTBOARD_SMTP_URL: 'nonsense', QUESTBOARD_DATABASE_CONNECTIONS: 'many', PORT: '80' }
  expect(() => loadConfig(broken)).toThrow(ConfigError)
  expect(() => loadConfig(broken)).toThrow(/QUESTBOARD_DATABASE_CONNECTIONS[\s\S]*QUESTBOARD_SMTP_URL/)
  expect(() => loadConfig(broken, databaseSettings)).toThrow(/^(?![\s\S]*SMTP)[\s\S]*QUESTBOARD_DATABASE_CONNECTIONS/)
  expect(loadConfig({ ...broken, QUESTBOARD_DATABASE_CONNECTIONS: '3' }, databaseSettings)).toMatchObject({
    port: 80,
    readConnections: 3,
  })
})

test.each([
  [
    ['token', 'create', '--nam', 'x'],
    "unknown option '--nam'\nerror: required option '--name <name>' not specified",
    'questboard token create --help',
  ],
  [['token', 'creat'], "unknown command 'creat'", 'questboard token --help'],
  [['import'], "missing required argument 'file'", 'questboard import --help'],
])('names the mistake in %j and the command that prints help', async (words, mistake, help) => {
  const { code, stderr } = await questboard(words, settings)
  expect(code).toBe(1)
  expect(stderr).toContain(mistake)
  expect(stderr).toContain(help)
  expect((await questboard(help.split(' ').slice(1), settings)).code).toBe(0)
})

test('names options as the user typed them, and prints no secret', async () => {
  const [name, value] = await Promise.all([
    questboard(['token', 'create', '--name', ' '], settings),
    questboard(['token', 'revoke', 'qbs_thatShouldNotBeSeen'], settings),
  ])
  expect(name.stderr).toBe('--name: The name must have 1 to 100 characters.\n')
  expect(value.stderr).toBe(
    'This is the value of a token, not its id; nothing was changed. `questboard token list` shows the ids.\n',
  )
})

test('translates fields to options in messages, and prints commands that the user can run', () => {
  const command = new Command('create').option('--redirect-uri <uri>', '', (uri, all: string[]) => [...all, uri], [])
  command.option('--space <id>').option('--url <url>')
  command.parse(['--redirect-uri', 'https://a.example/', '--redirect-uri', 'b'], { from: 'user' })
  expect(explain(invalidField('redirectUris.1', 'must be a URL', undefined), command)).toBe(
    '--redirect-uri, number 2, must be a URL',
  )
  expect(explain(invalidField('spaceIds.0', 'must be a number', undefined), command)).toBe('--space must be a number')
  expect(explain(invalidField('url', 'is needed, or spaceIds', undefined), command)).toBe('--url is needed, or --space')
  expect(explain(invalidField('other', 'is wrong', undefined), command)).toBe('other is wrong')
  const apply = new Command('apply').option('--scopes <list>').parse(['--scopes', 'Email, Twiter'], { from: 'user' })
  expect(explain(invalidField('scopes.1', 'must be one of: Email Twitter', undefined), apply)).toBe(
    '--scopes, number 2, must be one of: Email Twitter, not "Twiter"',
  )
  const seal = new Command('create').option('--at <time>').option('--sprint <id>').option('--until <time>')
  for (const error of [invalidField('at', 'must be a time', undefined), invalidSnapshot('at', 'must be a time')])
    expect(explain(error, seal)).toBe('--at must be a time')
  expect(explain(invalidSnapshot('sprintId', 'needs the space'), seal)).toBe('--sprint needs the space')
  expect(explain(invalidField('endsAt', 'must be a time', undefined), seal)).toBe('--until must be a time')
  expect(explain(notFound('Webhook'), command)).toMatch(
    /^No webhook has this id\. `.*questboard( --)? webhook list` lists/,
  )
  expect(calledAs({ npm_lifecycle_event: 'npx' })).toBe('npm exec questboard --')
  expect(calledAs({ QB_CALLED_AS: 'bin/questboard' })).toBe('bin/questboard')
  expect(calledAs({ npm_lifecycle_event: 'start' })).toBe('bin/questboard')
  expect(calledAs({})).toBe('questboard')
  expect(asTyped('`questboard app list` shows them.', 'bin/questboard')).toBe('`bin/questboard app list` shows them.')
})

test('prints the usage of a token in columns with headings', async () => {
  const [token] = await database.query<{ token_id: string }>('SELECT token_id FROM server_tokens LIMIT 1')
  const print = vi.spyOn(console, 'log').mockImplementation(() => {})
  const usage = async () => {
    print.mockClear()
    const deps = { database, clock: systemClock } as unknown as Dependencies
    await usageCommand((work) => work(deps)).parseAsync([token?.token_id ?? ''], { from: 'user' })
    return print.mock.calls.flatMap(([text = '']: string[]) =>
      text.split('\n').map((line) => line.trim().split(/ {2,}/)),
    )
  }
  expect(await usage()).toEqual([[expect.stringMatching(/^No requests since /)], ['total 0']])
  await database.query(
    `INSERT INTO token_usage (token_id, day, operation, status, requests, last_used_at)
     VALUES ($1, (now() AT TIME ZONE 'UTC')::date, 'space', 200, 12, now())`,
    [token?.token_id],
  )
  expect(await usage()).toEqual([
    ['UTC DAY', 'STATUS', 'REQUESTS', 'OPERATION'],
    [expect.any(String), '200', '12', 'space'],
    ['total 12'],
  ])
  print.mockRestore()
})

test('prints the release with --version', async () => {
  expect(await questboard(['--version'], settings)).toMatchObject({ code: 0, stdout: `${server.version}\n` })
})
