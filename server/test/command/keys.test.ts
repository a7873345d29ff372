import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRemoteJWKSet, customFetch, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { keysCommand } from '../../src/command/keys.ts'
import { loadConfig } from '../../src/config.ts'
import { openConfiguredDatabase } from '../../src/database/open.ts'
import type { Dependencies } from '../../src/services.ts'
import { examineKeys } from '../../src/doctor/keys.ts'
import { countAllSealed, sayLost } from '../../src/doctor/sealed.ts'
import { announcementOf } from '../../src/doctor/sealing-processes.queries.ts'
import { INSTALLATION } from '../../src/audit/audit.ts'
import { loadInstallationSecret } from '../../src/secrets/installation-secret.ts'
import { importRecords } from '../../src/ingest/import-records.ts'
import { silentLog } from '../../src/logging/log.ts'
import { openSource, shownSource } from '../../src/sync/sealed-source.ts'
import { setSource } from '../../src/sync/set-source.ts'
import { listSources } from '../../src/sync/sources.queries.ts'
import { readEndpointForm } from '../../src/webhooks/endpoint-form.ts'
import { createEndpoint } from '../../src/webhooks/endpoints.ts'
import { liveSecrets } from '../../src/webhooks/endpoints.queries.ts'
import { openSecret } from '../../src/webhooks/secrets.ts'
import { urlOf } from './questboard.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { openBrowser } from '../support/oauth-browser.ts'
import { approvedApp, authorizeUrl, signedInBrowser, type SignedIn, tokensFor } from '../support/oauth-flow.ts'
import { type SignInService, startSignIn } from '../support/oauth-service.ts'

const OLD = 'the secret of the installation before'
const NEW = 'the secret of the installation from now on'

let database: TestDatabase
let before: SignInService
let during: SignInService
let after: SignInService
let user: SignedIn
beforeAll(async () => {
  database = await createTestDatabase()
  const settings = { QUESTBOARD_WEBHOOK_HOSTS: '127.0.0.1:9' }
  before = await startSignIn({ database, settings: { ...settings, QUESTBOARD_SECRET: OLD } })
  const both = { ...settings, QUESTBOARD_SECRET: NEW, QUESTBOARD_OTHER_SECRETS: OLD }
  during = await startSignIn({ database, clock: before.clock, settings: both })
  after = await startSignIn({ database, clock: before.clock, settings: { ...settings, QUESTBOARD_SECRET: NEW } })
  user = await signedInBrowser(before)
})
afterAll(async () => {
  for (const service of [before, during, after]) await service.close()
  await database.drop()
})

let printed: string[]
let warned: string[]
beforeEach(() => {
  printed = []
  warned = []
  vi.spyOn(console, 'log').mockImplementation((text: string) => void printed.push(text))
  vi.spyOn(console, 'error').mockImplementation((text: string) => void warned.push(text))
})
afterEach(() => vi.restoreAllMocks())

async function keys(deps: Dependencies, ...words: string[]): Promise<string> {
  printed.length = 0
  await keysCommand((work) => work(deps)).parseAsync(words, { from: 'user' })
  return printed.join('\n')
}

/** The browser of the user, connected to another process of the installation. */
function sameBrowserAt(service: SignInService) {
  const browser = openBrowser(service.fastify)
  for (const [name, value] of user.browser.cookies) browser.cookies.set(name, value)
  return browser
}

async function verified(service: SignInService, idToken: string) {
  const inject = async (url: string) => new Response((await service.fastify.inject(new URL(url).pathname)).body)
  const keySet = createRemoteJWKSet(new URL(`${service.issuer}/oauth/jwks`), { [customFetch]: inject })
  return jwtVerify(idToken, keySet, { currentDate: new Date(service.clock.now()) })
}

test('keeps sessions, forms and tokens valid when the secret is replaced', async () => {
  await importRecords(before.services, 'spaces', [{ spaceId: 40, name: 'Forty' }])
  const form = readEndpointForm({ url: 'http://127.0.0.1:9/', events: ['points.awarded'], spaceIds: [40] })
  const { endpoint, secret } = await createEndpoint(before.services, user.account.id, form, 'operator')
  await importRecords(before.services, 'credentials', [
    { id: '7', name: 'Sealed', credType: 'EVM_ADDRESS', credSource: 'REST' },
    { id: '8', name: 'Clear', credType: 'EVM_ADDRESS', credSource: 'REST' },
  ])
  const source = {
    kind: 'REST',
    url: 'https://api.example/list?key=of-the-url',
    headers: { 'x-api-key': 'of-headers' },
  }
  const parsed = await setSource(before.services, '7', source)
  // Earlier versions stored sources without encryption.
  await database.query(`INSERT INTO credential_sources (credential_id, source, every_seconds) VALUES (8, $1, 60)`, [
    parsed,
  ])
  const sourcesAt = async (service: SignInService) =>
    (await listSources(database.kysely)).map((row) => openSource(service.services.secret, row.credentialId, row.source))
  expect(await sourcesAt(during)).toEqual([parsed, parsed])
  await expect(sourcesAt(after)).rejects.toThrow('credential 7 was encrypted with another QUESTBOARD_SECRET')

  const app = await approvedApp(before)
  const pairwise = await approvedApp(before, { subjectType: 'pairwise' })
  const subAt = async (at: SignInService) =>
    decodeJwt((await tokensFor(at, sameBrowserAt(at), pairwise, { scope: 'openid' })).id_token as string).sub
  const sub = await subAt(before)
  const ofBefore = (await tokensFor(before, user.browser, app, { scope: 'openid' })).id_token as string
  const csrf = await user.browser.csrfToken()

  const browser = sameBrowserAt(during)
  expect((await browser.get('/api/session')).json()).toMatchObject({ account: { id: user.account.id } })
  const rename = (service: SignInService, token: string) =>
    sameBrowserAt(service).send({
      method: 'PATCH',
      url: '/api/profile',
      headers: { 'x-csrf-token': token },
      body: {},
    })
  expect((await rename(during, csrf)).statusCode).not.toBe(403)
  expect((await rename(after, csrf)).statusCode).toBe(403)
  const ofDuring = (await tokensFor(during, browser, app, { scope: 'openid' })).id_token as string
  expect(decodeProtectedHeader(ofDuring).kid).toBe(decodeProtectedHeader(ofBefore).kid)
  await verified(during, ofDuring)
  expect(await subAt(during)).toBe(sub)
  const silent = authorizeUrl(app, { scope: 'openid', prompt: 'none', id_token_hint: ofBefore })
  expect(String((await browser.get(silent)).headers.location)).toContain('code=qbc_')

  expect(await keys(during.services, 'status')).toMatch(
    /signing keys: 0 with the current secret, 1 with another known secret[\s\S]*webhook secrets: 0 [\s\S]*sources: 0 .*, 2 with another/,
  )
  expect(sayLost(await countAllSealed(after.services))).toBe(
    '1 signing key, 1 pairwise key, 1 webhook secret, 1 source',
  )
  await expect(keys(after.services, 'status')).rejects.toThrow(/signing keys: [\s\S]*webhook/)

  // A process that was not restarted still uses the earlier secret.
  const config = { databaseUrl: urlOf(database.connection), dataDir: '/nowhere', readConnections: 1 }
  const instance = await openConfiguredDatabase(config, silentLog)
  await instance.announce(announcementOf(before.services.secret))
  expect(await examineKeys(during.services.config, database.connection, silentLog)).toMatchObject({
    state: 'note',
    says: expect.stringMatching(/; a running process uses another one \(the one on /) as string,
  })
  await expect(keys(during.services, 'reseal')).rejects.toThrow(
    /^Nothing was resealed: .* uses another secret \(the one on .*, connected since 20[^;]*Z\)\. .* Restart it /,
  )
  await expect(keys(during.services, 'rotate-signing-key')).rejects.toThrow(/^Nothing was changed: .* another secret/)
  const needed = /The other secrets are still needed: .*\(the one on .*\)\. Restart it .* keys reseal`\.$/
  expect(await keys(during.services, 'status')).toMatch(/sources: 0 .*, 2 with another/)
  expect(printed.at(-1)).toMatch(needed)
  expect(await keys(during.services, 'reseal', '--force')).toMatch(/sources: 2 with the current secret, 0 with another/)
  expect(printed.at(-1)).toMatch(needed)
  await instance.announce(announcementOf(during.services.secret))
  expect(await keys(during.services, 'reseal')).toContain('Only the current secret is needed.')
  expect(warned).toEqual([])
  await instance.close()
  await keys(during.services, 'reseal')
  expect(warned).toEqual([expect.stringMatching(/^No running process of the service was found; .* restart it/)])

  expect(await sourcesAt(after)).toEqual([parsed, parsed])
  expect((await listSources(database.kysely)).map((row) => shownSource(row.source))).toEqual(
    Array(2).fill({ kind: 'REST', host: 'api.example' }),
  )
  const stored = await database.query<{ source: string }>('SELECT source::text AS source FROM credential_sources')
  expect(stored.filter(({ source: text }) => /of-the-url|of-headers/.test(text))).toEqual([])
  expect(await keys(after.services, 'status')).toMatch(
    /signing keys: 1 with the current secret, 0 with another known secret, 0 with/,
  )
  await expect(keys(before.services, 'reseal')).rejects.toThrow('encrypted with an unknown secret')

  const ofAfter = (await tokensFor(after, sameBrowserAt(after), app, { scope: 'openid' })).id_token as string
  expect(await subAt(after)).toBe(sub)
  await verified(after, ofBefore)
  await verified(before, ofAfter)
  const [row] = await liveSecrets(database.kysely, [endpoint.id], new Date(before.clock.now()))
  expect(row && openSecret(after.services.secret, row)).toBe(secret)
})

test('uses a new signing key at once, also in processes with the previous key', async () => {
  const app = await approvedApp(after)
  const browser = sameBrowserAt(after)
  const old = (await tokensFor(after, browser, app, { scope: 'openid' })).id_token as string
  before.clock.advance(1_000)
  const keyId = await keys(during.services, 'rotate-signing-key')
  const next = (await tokensFor(after, browser, app, { scope: 'openid' })).id_token as string
  expect(decodeProtectedHeader(next).kid).toBe(keyId)
  expect(decodeProtectedHeader(old).kid).not.toBe(keyId)
  await verified(during, old)
  await verified(during, next)
  expect(await keys(during.services, 'status')).toMatch(
    new RegExp(`^signing key ${keyId}, made \\S+\nsigning key \\S+, made \\S+, published until \\S+Z\n`),
  )

  before.clock.advance(1_000)
  await keys(during.services, 'rotate-signing-key', '--withdraw-others')
  for (const withdrawn of [old, next])
    await expect(verified(during, withdrawn)).rejects.toMatchObject({ code: 'ERR_JWKS_NO_MATCHING_KEY' })
  await verified(during, (await tokensFor(after, browser, app, { scope: 'openid' })).id_token as string)
})

test('writes a new secret to the first line of its file, and accepts those below', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'questboard-keys-'))
  try {
    const config = loadConfig({ QUESTBOARD_DATA_DIR: dataDir })
    const path = join(dataDir, 'secret')
    writeFileSync(path, `${OLD}\n`, { mode: 0o600 })
    const old = loadInstallationSecret(config)
    expect(await keys({ ...before.services, config }, 'new-secret')).toBe(path)
    expect([statSync(path).mode & 0o777, readFileSync(path, 'utf8').split('\n')[1]]).toEqual([0o600, OLD])
    const both = loadInstallationSecret(config)
    expect(both.keys('x')).toEqual([both.key('x'), old.key('x')])
    expect(both.key('x')).not.toEqual(old.key('x'))
    writeFileSync(path, `${NEW}\nshort\n`)
    expect(() => loadInstallationSecret(config)).toThrow('damaged')
  } finally {
    rmSync(dataDir, { recursive: true })
  }
  expect(await keys(before.services, 'new-secret')).toMatch(/^\S{43}$/)
  expect(warned.at(-1)).toMatch(
    /nothing has changed yet[\s\S]*QUESTBOARD_OTHER_SECRETS[\s\S]*Restart[\s\S]*keys reseal/,
  )
  const events = await database.query<{ event: string }>('SELECT event FROM security_events WHERE account_id = $1', [
    INSTALLATION,
  ])
  expect(events.map(({ event }) => event).toSorted()).toEqual([
    'keys.resealed',
    'keys.secret-made',
    'keys.signing-key-rotated',
    'keys.signing-key-rotated',
  ])
  expect(() => loadConfig({ QUESTBOARD_OTHER_SECRETS: 'short' })).toThrow('at least 32 characters each')
})
