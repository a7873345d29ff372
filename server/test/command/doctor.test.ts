import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import { loadConfig } from '../../src/config.ts'
import { explainUnusableDatabase } from '../../src/database/explain-unusable.ts'
import { examine } from '../../src/doctor/examine.ts'
import { createServices } from '../../src/services.ts'
import { silentLog } from '../../src/logging/log.ts'
import { rotateSigningKey } from '../../src/oauth/signing-keys.ts'
import { createOutgoing } from '../../src/outgoing/outgoing.ts'
import { systemRandom } from '../../src/random.ts'
import { storePort } from '../../src/settings/port-of-service.ts'
import { json } from '../identity/upstreams/answers.ts'
import { type AptosNode, startAptosNode } from '../identity/upstreams/aptos-node.ts'
import { type EvmNode, startEvmNode } from '../identity/upstreams/evm-node.ts'
import { type FlowNode, startFlowNode } from '../identity/upstreams/flow-node.ts'
import { type MailServer, startMailServer } from '../identity/upstreams/mail-server.ts'
import {
  clientSecret,
  type OauthUpstream,
  startOauthUpstream,
  upstreamSettings,
} from '../identity/upstreams/oauth-upstream.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'
import { questboard, urlOf } from './questboard.ts'

let database: TestDatabase
let sites: OauthUpstream
let evm: EvmNode
let aptos: AptosNode
let flow: FlowNode
let mail: MailServer
let proxy: Upstream
let dataDir: string
/** The issuer that the public URL reports. */
let issuer: string
let settings: Record<string, string>
beforeAll(async () => {
  database = await createTestDatabase()
  sites = await startOauthUpstream()
  evm = await startEvmNode(1)
  aptos = await startAptosNode()
  flow = await startFlowNode()
  mail = await startMailServer()
  proxy = await startUpstream((_, response) => json(response, 200, { issuer }))
  dataDir = await mkdtemp(join(tmpdir(), 'doctor-'))
  settings = {
    ...upstreamSettings(sites.url),
    DATABASE_URL: urlOf(database.connection),
    QUESTBOARD_DATA_DIR: dataDir,
    QUESTBOARD_SECRET: 'a secret of at least thirty-two characters',
    QUESTBOARD_PUBLIC_URL: proxy.url,
    QUESTBOARD_EVM_RPC: `1=${evm.url}/v3/secret-project-key`,
    QUESTBOARD_APTOS_NODE: `${aptos.url}/v1`,
    QUESTBOARD_FLOW_NODE: flow.url,
    QUESTBOARD_SMTP_URL: mail.url,
    QUESTBOARD_MAIL_FROM: 'no-reply@example.com',
  }
  const config = loadConfig(settings)
  const outgoing = createOutgoing({ hosts: [] })
  await rotateSigningKey(
    createServices({ config, database, outgoing, log: silentLog, random: systemRandom, clock: systemClock }),
  )
  await outgoing.close()
})
beforeEach(() => {
  issuer = proxy.url
  sites.override.clear()
  evm.broken = aptos.broken = flow.broken = undefined
  aptos.chainId = 1
  flow.chainId = 'flow-mainnet'
})
afterAll(async () => {
  await Promise.all([sites, evm, aptos, flow, mail, proxy].map((server) => server.close()))
  await database.drop()
  await rm(dataDir, { recursive: true })
})

/** The findings of the doctor by name. A change of `undefined` removes the setting. */
async function findings(changes: Record<string, string | undefined> = {}, now = Date.now, timeout = 10_000) {
  const config = loadConfig({ ...settings, ...changes })
  const found = await examine({ config, clock: { now, monotonic: now }, log: silentLog, timeout })
  return new Map(found.map((finding) => [finding.name, finding]))
}
/** The findings that depend on the database. For the others, the doctor does not run its many statements. */
const OF_THE_DATABASE = ['Clock', 'Database', 'Database settings', 'Keys', 'Migrations']

const stateOf = async (
  name: string,
  changes?: Record<string, string | undefined>,
  now?: () => number,
  timeout?: number,
) => {
  const database = OF_THE_DATABASE.includes(name) ? {} : { DATABASE_URL: undefined }
  const finding = (await findings({ ...database, ...changes }, now, timeout)).get(name)
  return [finding?.state, finding?.says, finding?.advice].join(' | ')
}

/** With a short timeout, for servers that never respond. */
const stateAfterTimeout = (name: string, changes?: Record<string, string>) => stateOf(name, changes, undefined, 300)

describe('questboard doctor', () => {
  test('reports ok for every part of a healthy installation and exits with status 0', async () => {
    const { code, stdout, stderr } = await questboard(['doctor', '--timeout', '5'], settings)
    expect(stderr).toMatch(/^These are the settings that this command uses\..*\n.*docs\/deploy\.md.*\n\n$/)
    expect(stdout).toContain('No problems.')
    expect(code).toBe(0)
    const lines = stdout.trim().split('\n').slice(0, -2)
    // The test server runs without durability, which is faster.
    const rest = lines.filter((line) => !line.startsWith('ok ') && !/Database settings|Turn both on/.test(line))
    expect(rest, stdout).toEqual([])
    const names = ['Database', 'Migrations', 'Statements', 'Clock', 'Keys', 'Public URL', 'Proxy headers']
    const upstreams = [
      'Discord',
      'GitHub',
      'X',
      'Telegram',
      'Mail server',
      'EVM chain 1',
      'Aptos node',
      'Flow access node',
    ]
    for (const name of [...names, ...upstreams]) expect(stdout).toMatch(new RegExp(`^ok +${name} `, 'm'))
  })
  test('reports each problem with advice, exits with status 1 and prints no secret', async () => {
    const faulty = {
      ...settings,
      QUESTBOARD_DISCORD_CLIENT_SECRET: 'wrong discord secret',
      QUESTBOARD_SMTP_URL: mail.url.replace('mail%20password', 'wrong%20password'),
      QUESTBOARD_EVM_RPC: `5=${evm.url}/v3/secret-project-key`,
      QUESTBOARD_SECRET: 'quite another secret of at least thirty-two characters',
    }
    const { code, stdout } = await questboard(['doctor', '--timeout', '5', '--json'], faulty)
    expect(code).toBe(1)
    const problems = (JSON.parse(stdout) as { name: string; state: string; advice?: string }[]).filter(
      ({ state }) => state === 'problem',
    )
    expect(problems.map(({ name }) => name).sort()).toEqual(['Discord', 'EVM chain 5', 'Keys', 'Mail server'])
    for (const { advice } of problems) expect(advice).toMatch(/QUESTBOARD_/)
    for (const secret of ['wrong discord secret', 'wrong', 'quite another', 'secret-project-key', clientSecret])
      expect(stdout).not.toContain(secret)
  })
  test('names the port of the service that uses the data folder, unless PORT is set', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'doctor-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    await storePort({ databaseUrl: undefined, dataDir: folder }, 4711)
    const publicUrl = async (more: Record<string, string> = {}) => {
      const { stdout } = await questboard(['doctor', '--json'], { QUESTBOARD_DATA_DIR: folder, ...more })
      return (JSON.parse(stdout) as { name: string; says: string }[]).find(({ name }) => name === 'Public URL')?.says
    }
    expect(await publicUrl()).toContain('http://localhost:4711')
    expect(await publicUrl({ PORT: '4712' })).toContain('http://localhost:4712')
  })
  test('exits with status 2 for an invalid setting', async () => {
    const { code, stderr } = await questboard(['doctor'], { ...settings, QUESTBOARD_EVM_RPC: 'x' })
    expect([code, stderr]).toEqual([2, expect.stringContaining('QUESTBOARD_EVM_RPC') as string])
  })
})

describe('settings', () => {
  const empty = Object.fromEntries(
    ['DISCORD', 'GITHUB', 'TWITTER', 'TELEGRAM'].flatMap((kind) => [
      [`QUESTBOARD_${kind}_CLIENT_ID`, undefined],
      [`QUESTBOARD_${kind}_CLIENT_SECRET`, undefined],
    ]),
  ) as Record<string, undefined>
  test.each([
    ['Discord', empty, 'QUESTBOARD_DISCORD_CLIENT_ID'],
    ['Telegram', empty, 'QUESTBOARD_TELEGRAM_CLIENT_ID'],
    [
      'Mail server',
      { QUESTBOARD_SMTP_URL: undefined, QUESTBOARD_MAIL_FROM: undefined },
      'QUESTBOARD_SMTP_URL and QUESTBOARD_MAIL_FROM are not set',
    ],
    ['Flow access node', { QUESTBOARD_FLOW_NODE: undefined }, 'QUESTBOARD_FLOW_NODE'],
    ['EVM nodes', { QUESTBOARD_EVM_RPC: undefined }, 'QUESTBOARD_EVM_RPC'],
  ])('names the setting that turns on %s', async (name, changes, setting) => {
    expect(await stateOf(name, changes)).toMatch(new RegExp(`^off \\| .*${setting}`))
  })
  test('warns about rotated keys if no Aptos node is set', async () => {
    expect(await stateOf('Aptos node', { QUESTBOARD_APTOS_NODE: undefined })).toMatch(/^note \| .*replaced/)
  })
  test('reports an incomplete pair of settings and an unknown setting', async () => {
    expect(await stateOf('Settings', { QUESTBOARD_DISCORD_CLIENT_SECRET: undefined })).toMatch(
      /^problem \| QUESTBOARD_DISCORD_CLIENT_SECRET is missing/,
    )
    expect(await stateOf('Discord', { QUESTBOARD_DISCORD_CLIENT_SECRET: undefined })).toMatch(
      /^off \| QUESTBOARD_DISCORD_CLIENT_SECRET is not set/,
    )
    const noSender = { QUESTBOARD_MAIL_FROM: undefined }
    expect(await stateOf('Settings', noSender)).toMatch(/QUESTBOARD_MAIL_FROM is missing/)
    expect(await stateOf('Mail server', noSender)).toMatch(/^off \| QUESTBOARD_MAIL_FROM is not set/)
    expect(await stateOf('Settings', { QUESTBOARD_DATBASE: 'x' })).toMatch(
      /^note \| QUESTBOARD_DATBASE is not a setting and has no effect; DATABASE_URL is one \|/,
    )
  })
})

describe('upstreams', () => {
  const tokenPaths = [
    ['Discord', '/api/v10/oauth2/token'],
    ['GitHub', '/login/oauth/access_token'],
    ['X', '/2/oauth2/token'],
    ['Telegram', '/token'],
  ] as const
  test.each(tokenPaths)('reports bad credentials, a timeout and a wrong endpoint of %s', async (name, path) => {
    const kind = name === 'X' ? 'TWITTER' : name.toUpperCase()
    const refused = await stateOf(name, { [`QUESTBOARD_${kind}_CLIENT_SECRET`]: 'not the secret' })
    expect(refused).toMatch(new RegExp(`^problem \\| .*rejects the client id or secret.*QUESTBOARD_${kind}_CLIENT_ID`))
    sites.override.set(path, () => {})
    expect(await stateAfterTimeout(name)).toMatch(/^problem \| .*did not respond in time/)
    sites.override.set(path, (_, response) => response.writeHead(200).end('<html>parked'))
    expect(await stateOf(name)).toMatch(/^problem \| .*responds with 200, unlike a token endpoint/)
    sites.override.set(path, (_, response) => json(response, 503, {}))
    expect(await stateOf(name)).toMatch(/^problem \| .*responds with 503/)
  })
  test('distinguishes a wrong code from a wrong client by the errors of each site', async () => {
    sites.override.set('/2/oauth2/token', (_, response) =>
      json(response, 400, {
        error: 'invalid_request',
        error_description: 'Value passed for the authorization code was invalid.',
      }),
    )
    expect(await stateOf('X')).toMatch(/^ok/)
    sites.override.set('/login/oauth/access_token', (_, response) =>
      json(response, 200, { error: 'bad_verification_code' }),
    )
    expect(await stateOf('GitHub')).toMatch(/^ok/)
    sites.override.set('/login/oauth/access_token', (_, response) =>
      json(response, 200, { error: 'incorrect_client_credentials' }),
    )
    expect(await stateOf('GitHub')).toMatch(/^problem/)
    sites.override.set('/login/oauth/access_token', (_, response) =>
      json(response, 200, { error: 'redirect_uri_mismatch' }),
    )
    expect(await stateOf('GitHub')).toContain(`Register ${proxy.url}/identity/Github/callback`)
  })
  test('reports a Telegram issuer that is not an OpenID provider', async () => {
    sites.override.set('/.well-known/openid-configuration', (_, response) => json(response, 200, { issuer: 'x' }))
    expect(await stateOf('Telegram')).toMatch(/^problem \| .*OpenID provider/)
  })
  test('reports a Telegram bot without a domain', async () => {
    const widget = {
      QUESTBOARD_TELEGRAM_CLIENT_ID: undefined,
      QUESTBOARD_TELEGRAM_CLIENT_SECRET: undefined,
      QUESTBOARD_TELEGRAM_BOT_TOKEN: '123456:ABC-DEF1234ghIkl',
    }
    sites.override.set('/auth', (_, response) => response.writeHead(200).end('Bot domain invalid'))
    expect(await stateOf('Telegram (widget)', widget)).toMatch(/^problem \| .*\/setdomain/)
    sites.override.set('/auth', (_, response) => response.writeHead(200).end('<html>Log in'))
    expect(await stateOf('Telegram (widget)', widget)).toMatch(/^ok/)
  })
  test('reports nodes of another chain, with a rejected key, with a timeout or of another kind', async () => {
    aptos.chainId = 2
    flow.chainId = 'flow-testnet'
    const wrong = await findings({ QUESTBOARD_EVM_RPC: `10=${evm.url}` })
    expect(wrong.get('EVM chain 10')).toMatchObject({
      state: 'problem',
      says: expect.stringContaining('is on chain 1, not 10') as string,
    })
    expect(wrong.get('Aptos node')?.says).toContain('is on chain 2, not 1')
    expect(wrong.get('Flow access node')?.says).toContain('is on chain flow-testnet, not flow-mainnet')
    evm.broken = { method: 'eth_chainId', status: 401, body: {} }
    aptos.broken = flow.broken = { status: 200, body: 'hello' }
    const broken = await findings()
    expect(broken.get('EVM chain 1')).toMatchObject({
      state: 'problem',
      advice: expect.stringContaining('key') as string,
    })
    for (const name of ['Aptos node', 'Flow access node'])
      expect(broken.get(name)).toMatchObject({
        state: 'problem',
        says: expect.stringContaining('unlike such a node') as string,
      })
    const hanging = await startUpstream(() => {})
    expect(await stateAfterTimeout('Flow access node', { QUESTBOARD_FLOW_NODE: hanging.url })).toMatch(/in time/)
    await hanging.close()
    expect(await stateOf('Aptos node', { QUESTBOARD_APTOS_NODE: 'http://127.0.0.1:9' })).toMatch(/ECONNREFUSED/)
  })
  test('reports a mail server that rejects the password, is unreachable or does not respond', async () => {
    const wrong = { QUESTBOARD_SMTP_URL: mail.url.replace('mail%20password', 'x') }
    expect(await stateOf('Mail server', wrong)).toMatch(/^problem \| .*rejects the user or password/)
    expect(await stateOf('Mail server', { QUESTBOARD_SMTP_URL: 'smtp://127.0.0.1:9' })).toMatch(/^problem/)
    const silent = await startUpstream(() => {})
    expect(await stateAfterTimeout('Mail server', { QUESTBOARD_SMTP_URL: `smtp://${silent.host}` })).toMatch(/^problem/)
    await silent.close()
  })
})

describe('installation', () => {
  test('reports a database server that is unreachable or does not respond', async () => {
    expect(await stateOf('Database', { DATABASE_URL: 'postgres://a:secret@127.0.0.1:9/b' })).toMatch(
      /^problem \| .*REFUSED/,
    )
    const silent = await startUpstream(() => {})
    const { port } = silent
    expect(await stateAfterTimeout('Database', { DATABASE_URL: `postgres://a:b@127.0.0.1:${port}/b` })).toMatch(
      /^problem/,
    )
    await silent.close()
  })
  test('reports a missing database in one line, also in other commands', async () => {
    const missing = urlOf({ ...database.connection, database: 'missing_here' })
    const [migrated, unreachable] = await Promise.all([
      questboard(['migrate'], { DATABASE_URL: missing }),
      questboard(['account', 'list'], { DATABASE_URL: 'postgres://a:secret@127.0.0.1:9/b' }),
    ])
    const reason = 'the database cannot be used (database "missing_here" does not exist). Create it first, '
    expect(migrated).toEqual({
      code: 1,
      stdout: '',
      stderr: `${reason}for example with createdb, or correct DATABASE_URL.\n`,
    })
    expect([unreachable.code, unreachable.stderr]).toEqual([
      1,
      'the database cannot be reached (connect ECONNREFUSED 127.0.0.1:9). Check DATABASE_URL.\n',
    ])
    expect(await stateOf('Database', { DATABASE_URL: missing })).toMatch(/^problem \| .*\| Create it first/)
    const role = Object.assign(new Error('role "x" does not exist'), { code: '28000' })
    expect(explainUnusableDatabase(role)).toMatch(
      /^the database cannot be used \(role "x" does not exist\)\. Create the role first/,
    )
    expect(
      explainUnusableDatabase(Object.assign(new Error('write EPIPE'), { code: 'EPIPE', syscall: 'write' })),
    ).toBeUndefined()
  })
  test('reports a missing embedded database and secret as off before the first start', async () => {
    const first = await findings({ DATABASE_URL: undefined, QUESTBOARD_SECRET: undefined })
    expect(first.get('Database')).toMatchObject({ state: 'off' })
    expect(first.get('Keys')).toMatchObject({ state: 'off' })
  })
  test('reports migrations that are pending, newer or changed', async () => {
    const last = `(SELECT max(name) FROM schema_migrations)`
    await database.query(`CREATE TABLE kept AS SELECT * FROM schema_migrations WHERE name = ${last}`)
    await database.query(`DELETE FROM schema_migrations WHERE name = ${last}`)
    expect(await stateOf('Migrations')).toMatch(/^note \| 1 are to be applied/)
    await database.query(`INSERT INTO schema_migrations SELECT name, 'x', applied_at FROM kept`)
    expect(await stateOf('Migrations')).toMatch(/^problem \| .*was changed after/)
    await database.query(`UPDATE schema_migrations SET name = '2099.sql' WHERE name = ${last}`)
    expect(await stateOf('Migrations')).toMatch(/^problem \| .*newer version/)
    await database.query(`DELETE FROM schema_migrations WHERE name = '2099.sql'`)
    await database.query('INSERT INTO schema_migrations SELECT * FROM kept')
    expect(await stateOf('Migrations')).toMatch(/^ok/)
  })
  test('reports a server that loses data in a crash or rejects writes', async () => {
    const { database: name } = database.connection
    await database.query(`ALTER DATABASE ${name} SET synchronous_commit = off`)
    expect(await stateOf('Database settings', { NODE_ENV: 'production' })).toMatch(/^problem \| .*a crash loses/)
    await database.query(`ALTER DATABASE ${name} SET default_transaction_read_only = on`)
    expect(await stateOf('Database settings')).toMatch(/^problem \| .*rejects writes/)
    await database.query('SET default_transaction_read_only = off')
    await database.query(`BEGIN READ WRITE; ALTER DATABASE ${name} RESET ALL; COMMIT`)
  })
  test('reports a clock that is wrong by five seconds', async () => {
    expect(await stateOf('Clock', {}, () => Date.now() + 5_000)).toMatch(/^problem \| .*seconds behind/)
    expect(await stateOf('Clock', {}, () => Date.now() - 5_000)).toMatch(/^problem \| .*seconds ahead/)
  })
  test('reports a public URL with plain http, of another service or without a response', async () => {
    expect(await stateOf('Public URL', { QUESTBOARD_PUBLIC_URL: 'http://board.example' })).toMatch(
      /^problem \| .*not https/,
    )
    issuer = 'https://other.example'
    expect(await stateOf('Public URL')).toMatch(/^problem \| .*has the issuer https:\/\/other.example/)
    expect(await stateOf('Public URL', { QUESTBOARD_PUBLIC_URL: aptos.url })).toMatch(
      /^problem \| .*is not this service/,
    )
    expect(await stateOf('Public URL', { QUESTBOARD_PUBLIC_URL: 'http://127.0.0.1:9' })).toMatch(/^note/)
    const unset = { QUESTBOARD_PUBLIC_URL: undefined }
    expect(await stateOf('Public URL', unset)).toMatch(/^note/)
    expect(await stateOf('Public URL', { ...unset, NODE_ENV: 'production' })).toMatch(/^problem/)
  })
  test('reports missing and too broad trusted proxies', async () => {
    const https = { QUESTBOARD_PUBLIC_URL: 'https://127.0.0.1:9' }
    expect(await stateOf('Proxy headers', https)).toMatch(/^problem \| .*QUESTBOARD_TRUSTED_PROXIES/)
    expect(await stateOf('Proxy headers', { ...https, QUESTBOARD_TRUSTED_PROXIES: '10.0.0.1, 0.0.0.0/0' })).toMatch(
      /^problem/,
    )
    expect(await stateOf('Proxy headers', { ...https, QUESTBOARD_TRUSTED_PROXIES: '10.0.0.1' })).toMatch(/^ok/)
  })
  test('reports a signing key that was encrypted with another secret', async () => {
    const other = { QUESTBOARD_SECRET: 'quite another secret of at least thirty-two characters' }
    expect(await stateOf('Keys', other)).toMatch(
      /^problem \| encrypted with another secret: 1 signing key \| .*keys status/,
    )
    // The data folder with the secret was lost, but not the database.
    expect(await stateOf('Keys', { QUESTBOARD_SECRET: undefined })).toMatch(/^problem \| encrypted with another secret/)
    expect(await stateOf('Keys', { ...other, QUESTBOARD_OTHER_SECRETS: settings.QUESTBOARD_SECRET ?? '' })).toMatch(
      /^ok \| .*it decrypts signing keys \(1\)/,
    )
  })
})
