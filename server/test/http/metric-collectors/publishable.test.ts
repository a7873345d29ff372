import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { MAX_DOCUMENT_LENGTH, MAX_NEW_DOCUMENTS } from '../../../src/access/persisted-documents.ts'
import { upsertPlan } from '../../../src/access/plans.queries.ts'
import { revokeToken } from '../../../src/access/server-tokens.ts'
import { SECOND } from '../../../src/clock.ts'
import { startWorld } from '../../support/fixture.ts'
import { followLive } from '../../support/live.ts'
import { fromPage, get, PAGE, post, publishableToken } from '../../support/pages.ts'
import { tokenWithLimits } from '../../support/personas.ts'

const world = await startWorld({ settings: { QUESTBOARD_LIVE_STREAMS: '4' } })
const { url, deps } = world
afterAll(() => world.stop())

const NAME = '{ space(id: 40) { name } }'
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const hashed = (sha256Hash: string) => ({ persistedQuery: { version: 1, sha256Hash } })

/** The values of a metric by its label. */
async function valuesOf(name: string): Promise<Record<string, number>> {
  const text = await (await fetch(`${url}/metrics`)).text()
  const lines = text.matchAll(new RegExp(`^${name}\\{\\w+="([^"]*)"\\} (\\d+)$`, 'gm'))
  return Object.fromEntries([...lines].map(([, label = '', value]) => [label, Number(value)]))
}

/** What the requests add to a metric. */
async function added(name: string, requests: () => Promise<unknown>): Promise<Record<string, number>> {
  const before = await valuesOf(name)
  await requests()
  const after = await valuesOf(name)
  expect(Object.keys(after)).toEqual(Object.keys(before))
  return Object.fromEntries(
    Object.entries(after)
      .map(([label, value]) => [label, value - (before[label] ?? 0)] as const)
      .filter(([, value]) => value !== 0),
  )
}

test('counts queries with a publishable token by outcome', async () => {
  const { token } = await publishableToken(deps)
  const revoked = await publishableToken(deps)
  await revokeToken(deps, revoked.tokenId)
  await upsertPlan(deps.database.kysely, 'once', { perSecond: null, perDay: 2 })
  const { token: once } = await publishableToken(deps, { plan: 'once' })
  await post(url, once, { query: NAME })
  const requests = async () => {
    const { headers } = await get(url, { access_token: token, query: NAME })
    const etag = headers.get('etag') ?? ''
    expect((await get(url, { access_token: token, query: NAME }, { headers: { 'if-none-match': etag } })).status).toBe(
      304,
    )
    await post(url, token, { query: NAME }, 'https://other.example')
    await post(url, token, { query: NAME }, '')
    await post(url, revoked.token, { query: NAME })
    await post(url, 'qbp_hello', { query: NAME })
    await post(url, token, { query: '{ quests(input: {}) { totalCount } }' })
    await post(url, once, { query: NAME })
    await post(url, token, { query: '{ nothing }' })
    // These do not count as queries with a publishable token.
    await post(url, world.personas.business, { query: NAME })
    await fromPage(url, '/query', { method: 'OPTIONS', headers: { 'access-control-request-method': 'POST' } })
  }
  expect(await added('questboard_publishable_requests_total', requests)).toEqual({
    answered: 2,
    origin: 2,
    token: 2,
    permission: 1,
    quota: 1,
    other: 1,
  })
})

test('counts uses of persisted documents by outcome', async () => {
  const { token } = await publishableToken(deps)
  const send = (query: string, hash = sha256(query)) => post(url, token, { query, extensions: hashed(hash) })
  const requests = async () => {
    const byHash = { access_token: token, extensions: hashed(sha256(NAME)) }
    expect((await get(url, byHash)).status).toBe(404)
    await send(NAME)
    await send(NAME)
    for (let n = 0; n < 3; n++) expect((await get(url, byHash)).status).toBe(200)
    expect((await send(NAME, sha256('another'))).status).toBe(400)
    await send(`{ __typename } ${'#'.repeat(MAX_DOCUMENT_LENGTH)}`)
    for (let n = 1; n <= MAX_NEW_DOCUMENTS; n++) await send(`query D${n} { __typename }`)
    world.clock.advance(SECOND)
    await post(url, token, { query: NAME })
  }
  expect(await added('questboard_persisted_documents_total', requests)).toEqual({
    'not found': 1,
    found: 3,
    stored: MAX_NEW_DOCUMENTS,
    refused: 3,
  })
})

test('counts streams that are refused by reason', async () => {
  const { token } = await publishableToken(deps)
  const { token: once } = await tokenWithLimits(deps, { perSecond: null, perDay: 1 })
  const path = '/live/spaces/40'
  const refused = (headers: Record<string, string>, where = path) =>
    expect(followLive(url, where, headers)).rejects.toThrow()
  const requests = async () => {
    const own = { 'access-token': once }
    const first = { 'access-token': world.personas.business }
    const second = { 'access-token': world.personas.owner }
    const open = [await followLive(url, path, own)]
    await refused(own)
    open.push(await followLive(url, path, first), await followLive(url, path, first))
    await refused(first)
    open.push(await followLive(url, path, second))
    await refused(second)
    await refused({ 'access-token': token, origin: 'https://other.example' })
    await refused({ 'access-token': token, origin: PAGE }, '/live/spaces/41')
    await refused({})
    for (const client of open) client.close()
  }
  expect(await added('questboard_live_refused_total', requests)).toEqual({
    'worker full': 1,
    'token full': 1,
    origin: 1,
    quota: 1,
    other: 2,
  })
  world.app.endConnections()
  expect(await added('questboard_live_refused_total', () => refused({ 'access-token': token, origin: PAGE }))).toEqual({
    stopping: 1,
  })
})

test('docs/watch.md lists the values of the labels', async () => {
  const page = readFileSync(join(import.meta.dirname, '../../../../docs/watch.md'), 'utf8')
  const section = /### Pages and streams\n([\s\S]*?)\n## /.exec(page)?.[1] ?? ''
  const listed: Record<string, string[]> = {}
  for (const [, values = '', name = ''] of section.matchAll(/^\| (`.*?) *\| `(\w+)` *\|/gm))
    (listed[name] ??= []).push(...[...values.matchAll(/`([^`]+)`/g)].map(([, value = '']) => value))
  expect(Object.keys(listed)).toHaveLength(3)
  for (const [name, values] of Object.entries(listed))
    expect(values.toSorted(), name).toEqual(Object.keys(await valuesOf(name)).toSorted())
})
