import { randomInt } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { MINUTE } from '../../src/clock.ts'
import { linkIdentity } from '../../src/accounts/account.queries.ts'
import { importRecords } from '../../src/ingest/import-records.ts'
import { setSource } from '../../src/sync/set-source.ts'
import { firstError } from '../support/ask.ts'
import { startWorld } from '../support/fixture.ts'
import { type Browser, openBrowser, signInWithWallet } from '../support/oauth-browser.ts'
import { approvedApp, authorizeUrl, requestIdOf, type SignedIn } from '../support/oauth-flow.ts'
import { type SignInService, startSignIn } from '../support/oauth-service.ts'
import { testWallet } from '../support/oauth-wallet.ts'
import { startUpstream } from '../support/upstream.ts'
import { confirm, offerOf, signIn } from '../identity/merging.ts'
import { type OauthUpstream, startOauthUpstream, upstreamSettings } from '../identity/upstreams/oauth-upstream.ts'

let apiHolders: string[] = []
const api = await startUpstream(({ url }, response: ServerResponse) => {
  const holds = apiHolders.includes(decodeURIComponent(url.split('/').at(-1) ?? ''))
  response.end(JSON.stringify({ holds }))
})
const world = await startWorld({ settings: { QUESTBOARD_OUTGOING_HOSTS: api.host } })
const { database, clock } = world
let service: SignInService
let upstream: OauthUpstream
let user: SignedIn
let address: string
beforeAll(async () => {
  upstream = await startOauthUpstream()
  service = await startSignIn({ database, clock, checkAnswers: true, settings: upstreamSettings(upstream.url) })
  upstream.now = () => clock.now()
})
beforeEach(async () => {
  clock.advance(2 * MINUTE)
  user = await signIn(service)
  address = user.account.wallet.address
})
afterAll(async () => {
  await Promise.all([service.close(), upstream.close(), api.close()])
  await world.stop()
})

let lastId = 7_000
async function credentialOf(credType: string, holders: string[], credSource = 'CSV'): Promise<string> {
  const id = String(++lastId)
  await importRecords(world.deps, 'credentials', [{ id, name: 'Listed', credType, credSource }])
  await importRecords(
    world.deps,
    'holders',
    holders.map((holder) => ({ address: holder })),
    { credentialId: id },
  )
  return id
}

/** The eligibility, which must be the same in repeated queries. */
async function eligible(id: string, of = address): Promise<number | null | string> {
  const answers = new Set<number | null | string>()
  for (let time = 0; time < 4; time++) {
    const query = `{ credential(id: "${id}") { eligible(address: "${of}") } }`
    const { data, errors } = await world.ask<{ credential: { eligible: number | null } }>(query)
    answers.add(errors ? (firstError({ errors }) ?? '') : data.credential.eligible)
  }
  expect(answers.size).toBe(1)
  return [...answers][0] ?? null
}

/** A new user of Discord, GitHub or X, with the response of its profile endpoint. */
function platformUser(kind: string, name = `user-${randomInt(1e9)}`, id = String(randomInt(1e12))) {
  const profile = { Discord: { id, username: name }, Github: { id: Number(id), login: name } }[kind]
  return { kind, id, name, profile: profile ?? { data: { id, username: name } } }
}
type PlatformUser = ReturnType<typeof platformUser>

async function consentOf({ browser }: SignedIn, { kind, profile }: PlatformUser, purpose = 'link'): Promise<void> {
  const started = await browser.get(`/identity/${kind}/start?purpose=${purpose}&return=/account`)
  const query = upstream.consent(String(started.headers.location), profile).toString()
  const back = await browser.get(`/identity/${kind}/callback?${query}`)
  expect(back.headers.location, back.body).toBe('/account')
}

const unlink = async ({ browser }: SignedIn, kind: string, subject: string) => {
  expect((await browser.call('DELETE', '/api/identities', { kind, subject })).statusCode).toBe(200)
}
const change = (browser: Browser, kind: string, subject: string, useForEligibility: unknown) =>
  browser.call('PATCH', '/api/identities', { kind, subject, useForEligibility })
async function switchTo(useForEligibility: boolean, kind: string, subject: string, { browser } = user) {
  const response = await change(browser, kind, subject, useForEligibility)
  expect(response.statusCode, response.body).toBe(200)
  const { identities } = response.json<{
    identities: { kind: string; subject: string; useForEligibility: boolean }[]
  }>()
  expect(identities).toContainEqual(expect.objectContaining({ kind, subject, useForEligibility }))
}

describe.each([
  ['GITHUB', 'Github'],
  ['DISCORD', 'Discord'],
  ['TWITTER', 'Twitter'],
])('a credential of the type %s', (credType, kind) => {
  test.each(['handle', 'id'] as const)('counts the linked identity by its %s while it is switched on', async (by) => {
    const linked = platformUser(kind, `User-${randomInt(1e9)}`)
    const id = await credentialOf(credType, [by === 'handle' ? `@${linked.name}` : linked.id])
    expect(await eligible(id)).toBe(0)
    await consentOf(user, linked)
    expect(await eligible(id)).toBe(1)
    await switchTo(false, kind, linked.id)
    expect(await eligible(id)).toBe(0)
    await switchTo(true, kind, linked.id)
    expect(await eligible(id, address.toUpperCase().replace('0X', 'EVM:0x'))).toBe(1)
    await unlink(user, kind, linked.id)
    expect(await eligible(id)).toBe(0)
  })
})

test('keeps an identity linked, shown and counted after the operator has switched its kind off', async () => {
  const linked = platformUser('Discord')
  const id = await credentialOf('DISCORD', [linked.name])
  await consentOf(user, linked)
  const off = await startSignIn({ database, clock, checkAnswers: true })
  try {
    const browser = openBrowser(off.fastify)
    await signInWithWallet(browser, user.account.wallet)
    const proof = await browser.get('/identity/Discord/start?purpose=sign-in')
    expect(proof.json()).toMatchObject({ error: { code: 'unsupported' } })
    const own = { kind: 'Discord', subject: linked.id, username: linked.name, useForEligibility: true }
    const { identities } = (await browser.get('/api/identities')).json<{ identities: object[] }>()
    expect(identities).toContainEqual(expect.objectContaining(own))
    const asked = await browser.get(authorizeUrl(await approvedApp(off), { scope: 'Discord' }))
    expect((await browser.get(`/api/authorizations/${requestIdOf(asked)}`)).json()).toMatchObject({
      scopes: [{ scope: 'Discord', identities: [{ subject: linked.id, username: linked.name }], missing: false }],
    })
    expect(await eligible(id)).toBe(1)
    await switchTo(false, 'Discord', linked.id, { browser, account: user.account })
    expect(await eligible(id)).toBe(0)
    await unlink({ browser, account: user.account }, 'Discord', linked.id)
  } finally {
    await off.fastify.close()
  }
})

test('counts linked identities in groups of a quest', async () => {
  const linked = platformUser('Discord')
  const id = await credentialOf('DISCORD', [linked.name])
  await importRecords(world.deps, 'quests', [
    {
      ...{ id: 'GClinked', spaceId: 40, name: 'Linked', type: 'Drop', status: 'Active', createdAt: new Date() },
      credentialGroups: [
        {
          ...{ id: 'one', conditionRelation: 'ALL', conditions: [{ credentialId: id }] },
          rewards: [{ rewardType: 'OAT', rewardCount: 2 }],
        },
      ],
    },
  ])
  const groups = async () => {
    const fields = 'conditions { eligible } rewards { eligible rewardCount }'
    const query = `{ quest(id: "GClinked") { credentialGroups(address: "${address}") { ${fields} } } }`
    return (await world.ask<{ quest: { credentialGroups: unknown[] } }>(query)).data.quest.credentialGroups
  }
  const none = [{ conditions: [{ eligible: false }], rewards: [{ eligible: false, rewardCount: 0 }] }]
  const all = [{ conditions: [{ eligible: true }], rewards: [{ eligible: true, rewardCount: 2 }] }]
  expect(await groups()).toEqual(none)
  await consentOf(user, linked)
  expect(await groups()).toEqual(all)
  await switchTo(false, 'Discord', linked.id)
  expect(await groups()).toEqual(none)
  await switchTo(true, 'Discord', linked.id)
  expect(await groups()).toEqual(all)
  await unlink(user, 'Discord', linked.id)
  expect(await groups()).toEqual(none)
})

const link = (kind: string, subject: string, more: object = {}, accountId = user.account.id) =>
  database.kysely
    .transaction()
    .execute((trx) =>
      linkIdentity(trx, accountId, { kind, subject, username: null, linkedAt: new Date(clock.now()), ...more }),
    )
const newAddress = () => testWallet().address.toLowerCase()
const SOLANA = ['7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsV', 'DRpbCBMxVnDK7maPM5tGv6MvB3v1sRMC86PZ8okm21hy']

test('counts addresses of other chains and email addresses, and finds the account by them', async () => {
  const [solana, mail] = [SOLANA[0] as string, 'ada.linked@example.org']
  const ids = await Promise.all([
    credentialOf('SOLANA_ADDRESS', [solana]),
    credentialOf('EMAIL', [mail]),
    credentialOf('EVM_ADDRESS', [address]),
  ])
  const table = async () =>
    Promise.all(ids.map((id) => Promise.all([address, solana, mail].map((of) => eligible(id, of)))))
  expect(await table()).toEqual([
    [0, 1, 0],
    [0, 0, 1],
    [1, 0, 0],
  ])
  await link('SolanaAddress', solana)
  await link('Email', mail)
  expect(await table()).toEqual([
    [1, 1, 1],
    [1, 1, 1],
    [1, 1, 1],
  ])
  // An identity that is switched off counts only if the query contains it.
  await switchTo(false, 'SolanaAddress', solana)
  expect(await table()).toEqual([
    [0, 1, 0],
    [1, 0, 1],
    [1, 0, 1],
  ])
})

test('counts the EVM address of a Cosmos key, unless the EVM identity is switched off', async () => {
  const evm = newAddress()
  const [solana, seen] = [SOLANA[1] as string, await credentialOf('EVM_ADDRESS', [evm])]
  await link('SolanaAddress', solana)
  await link('InjectiveAddress', `inj1${evm.slice(2, 40)}`, { aliases: [evm] })
  expect(await eligible(seen, solana)).toBe(1)
  await link('EVMAddress', evm)
  await switchTo(false, 'EVMAddress', evm)
  expect(await eligible(seen, solana)).toBe(0)
})

test('does not count a linked address of the same chain for another address', async () => {
  const second = newAddress()
  const id = await credentialOf('EVM_ADDRESS', [second])
  await link('EVMAddress', second)
  expect([await eligible(id, second), await eligible(id)]).toEqual([1, 0])
})

test('ignores a contract wallet of one chain', async () => {
  const [contract, linked] = [newAddress(), platformUser('Discord')]
  const discord = await credentialOf('DISCORD', [linked.name])
  const evm = await credentialOf('EVM_ADDRESS', [contract])
  await consentOf(user, linked)
  await link('EVMAddress', contract, { boundChainId: 1 })
  await link('Email', 'contract@example.org')
  expect([await eligible(discord, contract), await eligible(evm, 'contract@example.org')]).toEqual([0, 0])
  const refused = await change(user.browser, 'EVMAddress', contract, true)
  expect(refused.json()).toMatchObject({ error: { code: 'never_counts' } })
  await link('Telegram', String(randomInt(1e9)))
  const { identities } = (await user.browser.get('/api/identities')).json<{
    identities: { kind: string; subject: string; useForEligibility: boolean | null }[]
  }>()
  const never = identities.filter(({ useForEligibility }) => useForEligibility === null)
  expect(never.map(({ kind }) => kind)).toEqual(['EVMAddress'])
})

test('ignores identities of another account', async () => {
  const [linked, other] = [platformUser('Github'), await signIn(service)]
  const id = await credentialOf('GITHUB', [linked.id, linked.name])
  await consentOf(other, linked)
  expect([await eligible(id), await eligible(id, other.account.wallet.address)]).toEqual([0, 1])
})

test('does not find an account by a handle, or treat a numeric handle as an id', async () => {
  const [discord, github] = [platformUser('Discord'), platformUser('Github', String(randomInt(1e9, 1e10)))]
  const id = await credentialOf('GITHUB', [github.name])
  await consentOf(user, discord)
  await consentOf(user, github)
  expect([await eligible(id), await eligible(id, discord.name)]).toEqual([0, 0])
  const byId = await credentialOf('GITHUB', [github.id])
  expect([await eligible(byId), await eligible(byId, discord.name), await eligible(byId, discord.id)]).toEqual([
    1, 0, 0,
  ])
})

test('updates the handle at sign-in; a handle belongs to the account that proved it last', async () => {
  const before = platformUser('Discord')
  const after = platformUser('Discord', `${before.name}-new`, before.id)
  const [oldName, newName] = [await credentialOf('DISCORD', [before.name]), await credentialOf('DISCORD', [after.name])]
  const both = async (of = address) => [await eligible(oldName, of), await eligible(newName, of)]
  await consentOf(user, before)
  expect(await both()).toEqual([1, 0])
  await consentOf(user, after, 'sign-in')
  expect(await both()).toEqual([0, 1])
  const [other, taker] = [await signIn(service), platformUser('Discord', after.name)]
  await consentOf(other, taker)
  expect([await both(), await both(other.account.wallet.address)]).toEqual([
    [0, 0],
    [0, 1],
  ])
  // The first account gets the handle back with a proof, not with another change.
  await link('Email', `${before.name}@example.org`)
  expect(await both()).toEqual([0, 0])
  await consentOf(user, after, 'sign-in')
  expect([await both(), await both(other.account.wallet.address)]).toEqual([
    [0, 1],
    [0, 0],
  ])
})

test('counts the identities of both accounts after a merge, and none after a deletion', async () => {
  const [linked, other] = [platformUser('Twitter'), await signIn(service)]
  const id = await credentialOf('TWITTER', [linked.name])
  await consentOf(other, linked)
  expect(await eligible(id)).toBe(0)
  const offer = await offerOf(user.browser, other.account.wallet)
  expect((await confirm(user.browser, offer.id)).statusCode).toBe(200)
  expect([await eligible(id), await eligible(id, other.account.wallet.address)]).toEqual([1, 1])
  expect((await user.browser.call('DELETE', '/api/account')).statusCode).toBe(204)
  expect([await eligible(id), await eligible(id, other.account.wallet.address)]).toEqual([0, 0])
})

test('queries an API about linked identities if the address is not eligible', async () => {
  const linked = platformUser('Github')
  const id = await credentialOf('GITHUB', [], 'API')
  await setSource(world.deps, id, { kind: 'API', url: `${api.url}/{address}`, result: '/holds', cacheSeconds: 0 })
  apiHolders = [linked.id]
  expect(await eligible(id)).toBe(0)
  await consentOf(user, linked)
  expect(await eligible(id)).toBe(1)
  apiHolders = [address.toLowerCase()]
  api.requests.length = 0
  expect(await eligible(id)).toBe(1)
  expect(new Set(api.requests.map(({ url }) => url))).toEqual(new Set([`/${address.toLowerCase()}`]))
})

describe('the switch', () => {
  test('is in responses and in the audit log', async () => {
    const subject = address.toLowerCase()
    await switchTo(false, 'EVMAddress', subject)
    await switchTo(false, 'EVMAddress', subject)
    const { events } = (await user.browser.get('/api/audit?first=10')).json<{ events: { event: string }[] }>()
    expect(events.filter(({ event }) => event === 'identity.changed')).toMatchObject([
      { details: { kind: 'EVMAddress', subject, useForEligibility: 'false' } },
    ])
  })
  test('rejects invalid input, unknown identities and calls without the CSRF token', async () => {
    const subject = address.toLowerCase()
    expect((await change(user.browser, 'EVMAddress', subject, 'no')).json()).toMatchObject({
      error: { field: 'useForEligibility' },
    })
    expect((await change(user.browser, 'EVMAddress', newAddress(), false)).statusCode).toBe(404)
    const other = await signIn(service)
    expect((await change(other.browser, 'EVMAddress', subject, false)).statusCode).toBe(404)
    const forged = await user.browser.send({
      method: 'PATCH',
      url: '/api/identities',
      headers: { 'x-csrf-token': 'wrong' },
      body: { kind: 'EVMAddress', subject, useForEligibility: false },
    })
    expect(forged.statusCode).toBe(403)
  })
})

test('migrates the names of existing identities', async () => {
  const linked = platformUser('Discord')
  await consentOf(user, linked)
  await link('InjectiveAddress', `inj1${randomInt(1e9)}`, { aliases: [newAddress()] })
  const rows = () =>
    database.query('SELECT name, kind FROM linked_names WHERE account_id = $1 ORDER BY 1, 2', [user.account.id])
  const stored = await rows()
  expect(stored).toHaveLength(5)
  const sql = await readFile(new URL('../../migrations/20261123T0000_linked_names.sql', import.meta.url), 'utf8')
  await database.query('DELETE FROM linked_names')
  await database.query(sql.slice(sql.indexOf('INSERT INTO linked_names')))
  expect(await rows()).toEqual(stored)
})
