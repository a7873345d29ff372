import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { addUsage } from '../../../src/access/usage.queries.ts'
import { setOperator } from '../../../src/accounts/account.queries.ts'
import { DAY, MINUTE } from '../../../src/clock.ts'
import { importRecords } from '../../../src/ingest/import-records.ts'
import { IMPORT_HEARTBEAT } from '../../../src/lifetimes.ts'
import { setSource } from '../../../src/sync/set-source.ts'
import { describeFinding, type FindingMessage, findingTexts, partTexts } from '../../../src/texts/findings.ts'
import { ask } from '../../support/ask.ts'
import { NOW, startWorld, type World } from '../../support/fixture.ts'
import { openBrowser } from '../../support/oauth-browser.ts'
import { type SignedIn, signedInBrowser } from '../../support/oauth-flow.ts'
import { type Answer as UpstreamAnswer, startUpstream, type Upstream } from '../../support/upstream.ts'

interface Finding {
  name: string
  check: string
  subject: string | null
  says: string
  message: FindingMessage
}

const SECRET = 'a secret of at least thirty-two characters'
const address = (n: number) => `0x${n.toString(16).padStart(40, '0')}`

let world: World
let operator: SignedIn
let other: SignedIn
let source: Upstream
let answer: UpstreamAnswer

beforeAll(async () => {
  source = await startUpstream((request, response) => answer(request, response))
  world = await startWorld({
    settings: {
      QUESTBOARD_SECRET: SECRET,
      QUESTBOARD_DATA_DIR: '/nonexistent/questboard',
      QUESTBOARD_OUTGOING_HOSTS: source.host,
      QUESTBOARD_EVM_RPC: `1=${source.url}/key-of-a-node`,
    },
  })
  operator = await signedInBrowser(world.app)
  other = await signedInBrowser(world.app)
  await setOperator(world.database.kysely, operator.account.id, new Date(NOW))
})
afterAll(async () => {
  await world.stop()
  await source.close()
})

const get = async (path: string, { browser } = operator) => (await browser.get(`/api/operator/${path}`)).json<never>()
const call = (method: 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown) =>
  operator.browser.call(method, `/api/operator/${path}`, body)

test('requires an operator account', async () => {
  const calls = [
    ['GET', 'apps'],
    ['GET', 'audit'],
    ['GET', 'plans'],
    ['POST', 'plans'],
    ['PUT', 'plans/x'],
    ['DELETE', 'plans/x'],
    ['GET', 'tokens'],
    ['PUT', `tokens/${operator.account.id}/plan`],
    ['GET', 'syncs'],
    ['POST', 'syncs/500/run'],
    ['POST', 'imports'],
    ['GET', 'health'],
    ['GET', 'usage'],
    ['GET', 'bans'],
    ['POST', 'bans'],
  ] as const
  const nobody = openBrowser(world.app.fastify)
  for (const [method, path] of calls) {
    const url = `/api/operator/${path}`
    const statuses = await Promise.all(
      [other.browser, nobody].map(async (browser) => {
        const sent = method === 'GET' ? browser.get(url) : browser.call(method, url, {})
        return (await sent).statusCode
      }),
    )
    expect(statuses, `${method} ${path}`).toEqual([403, 401])
    if (method === 'GET') continue
    const forged = await operator.browser.send({ method, url, body: {} })
    expect(forged.json(), path).toMatchObject({ error: { code: 'bad_csrf_token' } })
  }
})

describe('plans', () => {
  interface Plans {
    plans: { plan: string; tokens: number; open: boolean; fromSettings: boolean; perDay: number | null }[]
  }

  test('creates and changes a plan, which applies to the next request of a token', async () => {
    const made = (await other.browser.call('POST', '/api/tokens', { name: 'busy' })).json<{
      token: string
      tokenId: string
    }>()
    expect((await call('PUT', 'plans/small', { perSecond: null, perDay: 1, open: false })).statusCode).toBe(200)
    const moved = await call('PUT', `tokens/${made.tokenId}/plan`, { plan: 'small' })
    expect(moved.json()).toEqual({ tokenId: made.tokenId, plan: 'small' })
    const asked = async () => (await ask(world.url, '{ __typename }', { token: made.token })).status
    expect([await asked(), await asked()]).toEqual([200, 429])
    await call('PUT', 'plans/small', { perSecond: null, perDay: 2, open: true })
    world.clock.advance(1_000)
    expect(await asked()).toBe(200)
    const { plans } = (await get('plans')) as Plans
    expect(plans.find(({ plan }) => plan === 'small')).toMatchObject({ perDay: 2, open: true, tokens: 1 })
    const { tokens } = (await get(`tokens?account=${other.account.username.toUpperCase()}`)) as {
      tokens: { plan: string }[]
    }
    expect(tokens.map(({ plan }) => plan)).toEqual(['small'])
    expect(await get(`tokens?account=${other.account.id}`)).toMatchObject({
      account: { id: other.account.id, identities: [{ kind: 'EVMAddress', subject: expect.any(String) as string }] },
      tokens: [{ tokenId: made.tokenId }],
    })
    expect((await call('DELETE', 'plans/small')).json()).toMatchObject({ error: { code: 'plan_in_use' } })
    const { events } = (await other.browser.get('/api/audit')).json<{ events: { event: string; details: object }[] }>()
    expect(events.find(({ event }) => event === 'token.plan-changed')?.details).toMatchObject({ by: 'operator' })
  })

  test('protects the plans of the settings, and deletes an unused plan', async () => {
    for (const plan of ['free', 'demo', 'unlimited']) {
      const change = await call('PUT', `plans/${plan}`, { perSecond: 1, perDay: 1, open: true })
      expect([change.statusCode, (await call('DELETE', `plans/${plan}`)).statusCode], plan).toEqual([409, 409])
    }
    await call('PUT', 'plans/unused', { perSecond: 5, perDay: null, open: false })
    expect((await call('DELETE', 'plans/unused')).statusCode).toBe(204)
    expect((await call('DELETE', 'plans/unused')).statusCode).toBe(404)
  })

  test('rejects a new plan with an existing name', async () => {
    const limits = { perSecond: 7, perDay: null, open: false }
    const made = await call('POST', 'plans', { plan: 'taken', ...limits })
    expect([made.statusCode, made.json()]).toEqual([201, { plan: 'taken', ...limits }])
    for (const plan of ['taken', 'free']) {
      const again = await call('POST', 'plans', { plan, perSecond: 1, perDay: 1, open: true })
      expect([again.statusCode, again.json()], plan).toMatchObject([409, { error: { code: 'plan_exists' } }])
    }
    const { plans } = (await get('plans')) as Plans
    expect(plans.find(({ plan }) => plan === 'taken')).toMatchObject(limits)
    const wrong = await call('POST', 'plans', { plan: 'Nope', ...limits })
    expect([wrong.statusCode, wrong.json()]).toMatchObject([400, { error: { field: 'plan' } }])
  })

  test.each([
    ['plans/Nope', { perSecond: 1, perDay: 1, open: true }, 'plan'],
    ['plans/zero', { perSecond: 0, perDay: 1, open: true }, 'perSecond'],
    ['plans/text', { perSecond: 1, perDay: 'many', open: true }, 'perDay'],
    ['plans/half', { perSecond: 1, perDay: 1 }, 'open'],
  ])('names the invalid field of %s with %j', async (path, body, field) => {
    const response = await call('PUT', path, body)
    expect([response.statusCode, response.json()]).toMatchObject([400, { error: { field } }])
  })

  test('reports an unknown plan, token or account', async () => {
    const { tokenId } = (await operator.browser.call('POST', '/api/tokens', { name: 'own' })).json<{
      tokenId: string
    }>()
    expect((await call('PUT', `tokens/${tokenId}/plan`, { plan: 'nope' })).json()).toMatchObject({
      error: { field: 'plan' },
    })
    const unknown = await call('PUT', `tokens/${operator.account.id}/plan`, { plan: 'free' })
    expect(unknown.statusCode).toBe(404)
    expect((await operator.browser.get('/api/operator/tokens?account=nobody-at-all')).statusCode).toBe(404)
    for (const query of ['', '?account=%20', '?account=%00'])
      expect(await get(`tokens${query}`)).toMatchObject({ error: { code: 'invalid_argument', field: 'account' } })
  })
})

describe('synchronizations', () => {
  interface Syncs {
    syncs: { credentialId: string; state: string; holders: number; host: string; reason: string | null }[]
  }
  const settled = async (credentialId: string) => {
    for (;;) {
      const sync = ((await get('syncs')) as Syncs).syncs.find((one) => one.credentialId === credentialId)
      if (sync?.state !== 'running') return sync
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  }

  test('starts, reports and confirms a run', async () => {
    const list = (count: number) => Array.from({ length: count }, (_, n) => address(n + 1)).join('\n')
    answer = (_, response) => void response.end(list(20))
    await setSource(world.deps, '501', {
      kind: 'CSV',
      url: `${source.url}/secret-path`,
      format: 'text',
      mostRemoved: 0.2,
    })
    expect((await call('POST', 'syncs/501/run', { confirm: true })).statusCode).toBe(202)
    expect(await settled('501')).toMatchObject({ state: 'done', holders: 20, host: source.host })
    expect(JSON.stringify(await get('syncs'))).not.toContain('secret-path')
    answer = (_, response) => void response.end(list(2))
    await call('POST', 'syncs/501/run', {})
    expect(await settled('501')).toMatchObject({ state: 'held', holders: 20 })
    expect(await get('health')).toMatchObject({ work: { syncsFailed: 1 } })
    await call('POST', 'syncs/501/run', { confirm: true })
    expect(await settled('501')).toMatchObject({ state: 'done', holders: 2, reason: null })
  })

  test('synchronizes a credential with the largest id', async () => {
    const id = '9223372036854775807'
    await importRecords(world.deps, 'credentials', [{ id, name: 'Last', credType: 'EMAIL', credSource: 'CSV' }])
    answer = (_, response) => void response.end('ada@example.org')
    await setSource(world.deps, id, { kind: 'CSV', url: `${source.url}/list`, format: 'text', mostRemoved: 1 })
    expect((await call('POST', `syncs/${id}/run`)).statusCode).toBe(202)
    expect(await settled(id)).toMatchObject({ state: 'done', holders: 1 })
  })

  test('starts no second run, and no run for a credential without a source', async () => {
    let finish: (() => void) | undefined
    answer = (_, response) => {
      finish = () => void response.end(address(1))
    }
    await call('POST', 'syncs/501/run')
    expect((await call('POST', 'syncs/501/run')).json()).toMatchObject({ error: { code: 'already_running' } })
    while (!finish) await new Promise((resolve) => setTimeout(resolve, 5))
    finish()
    await settled('501')
    for (const id of ['500', '999999', 'x', '-1', '9223372036854775808', '9'.repeat(19)])
      expect((await call('POST', `syncs/${id}/run`)).statusCode).toBe(404)
  })
})

describe('imports', () => {
  const post = async (body: string | Buffer, search = '', signal?: AbortSignal) => {
    const cookie = [...operator.browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { cookie, 'x-csrf-token': await operator.browser.csrfToken() }
    const sent = { method: 'POST', headers, body: new Uint8Array(Buffer.from(body)), ...(signal && { signal }) }
    return fetch(`${world.url}/api/operator/imports${search}`, sent)
  }
  const send = async (body: string | Buffer, search = '') => {
    const response = await post(body, search)
    const lines = (await response.text()).trim().split('\n')
    return { status: response.status, lines, last: JSON.parse(lines.at(-1) ?? '{}') as Record<string, unknown> }
  }

  test('stores a file and reports progress line by line', async () => {
    const csv = `spaceId,name\n900,Nine hundred\n901,Nine hundred and one\n`
    const { status, lines, last } = await send(csv)
    expect(status).toBe(200)
    expect(lines.map((line) => (JSON.parse(line) as { phase?: string }).phase)).toContain('writing')
    expect(last).toMatchObject({ result: 'stored', kind: 'spaces', read: 2, added: 2, changed: 0 })
    expect((await send(gzipSync(csv))).last).toMatchObject({ result: 'stored', added: 0 })
  })

  test('reports each invalid line and stores nothing', async () => {
    const { last } = await send(`spaceId,name\n902,Good\nx,Bad\n904,\n`)
    expect(last).toMatchObject({ result: 'refused', count: 2, problems: [{ line: 3, field: 'spaceId' }, { line: 4 }] })
    expect(await world.database.query('SELECT FROM spaces WHERE space_id = 902')).toEqual([])
  })

  test('reports a long import every few seconds, and stops it when the client disconnects', async () => {
    const waiting = async (wanted: number) => {
      const text = `SELECT FROM pg_locks JOIN pg_database d ON d.oid = database
        WHERE NOT granted AND datname = current_database()`
      while ((await world.database.query(text)).length !== wanted)
        await new Promise((resolve) => setTimeout(resolve, 5))
    }
    const holder = await world.database.pool.connect()
    const leaving = new AbortController()
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    try {
      await holder.query('BEGIN')
      await holder.query('LOCK TABLE spaces IN SHARE MODE')
      const response = await post('spaceId,name\n950,Left behind\n', '', leaving.signal)
      const reader = (response.body as ReadableStream<Uint8Array>).getReader()
      const hear = async (what: RegExp) => {
        for (let heard = ''; !what.test(heard);) heard += Buffer.from((await reader.read()).value ?? []).toString()
      }
      await hear(/"writing".*\n/)
      await waiting(1)
      for (let n = 0; n < 2; n++) {
        vi.advanceTimersByTime(IMPORT_HEARTBEAT)
        await hear(/"writing","read":1,"stored":0,"of":\{"what":"lines","total":1,"atMost":true\}.*\n/)
      }
      leaving.abort()
      await waiting(0)
    } finally {
      vi.useRealTimers()
      await holder.query('ROLLBACK')
      holder.release()
    }
    expect(await world.database.query('SELECT FROM spaces WHERE space_id = 950')).toEqual([])
  })

  test('rejects a file of an unknown kind, and requires a credential for a list of holders', async () => {
    expect((await send('???\n')).last).toMatchObject({ result: 'refused', message: expect.any(String) as string })
    expect((await send('')).last).toMatchObject({ result: 'refused', message: 'The file is empty.' })
    const replaced = await send(`${address(7)}\n${address(8)}\n`, '?kind=holders&credentialId=500&replace=true')
    expect(replaced.last).toMatchObject({ result: 'stored', read: 2 })
    const [row] = await world.database.query<{ item_count: number }>(
      'SELECT item_count FROM credentials WHERE credential_id = 500',
    )
    expect(row?.item_count).toBe(2)
  })

  test.each([
    ['?kind=nonsense', 'kind'],
    ['?credentialId=x', 'credentialId'],
    ['?kind=points&replace=true', 'replace'],
    ['?kind=points&credentialId=5', 'credentialId'],
    ['?replace=maybe', 'replace'],
  ])('names the invalid parameter of %s', async (search, field) => {
    const { status, last } = await send('', search)
    expect([status, last]).toMatchObject([400, { error: { field } }])
  })
})

test('sums the requests of all tokens by day', async () => {
  const tokens = ['00000000-0000-4000-8000-0000000000a1', '00000000-0000-4000-8000-0000000000a2']
  // Requests of other tests are counted today.
  const at = new Date(world.clock.now() - DAY)
  const day = at.toISOString().slice(0, 10)
  const count = { day, operation: 'space', lastUsedAt: at }
  await addUsage(world.database.pool, [
    { ...count, tokenId: tokens[0] as string, status: 200, requests: 3, latencies: [2, 1] },
    { ...count, tokenId: tokens[1] as string, status: 200, requests: 4, latencies: [0, 4] },
    { ...count, tokenId: tokens[1] as string, status: 429, requests: 1, latencies: [] },
    { ...count, tokenId: tokens[0] as string, day: '2020-01-01', status: 200, requests: 9, latencies: [9] },
  ])
  try {
    const { since, days } = (await get('usage?days=7')) as { since: string; days: { day: string }[] }
    expect(since).toBe(new Date(world.clock.now() - 6 * DAY).toISOString().slice(0, 10))
    const statuses = [
      { status: 200, requests: 7 },
      { status: 429, requests: 1 },
    ]
    expect(days.filter((one) => one.day === day)).toEqual([{ day, statuses, latencies: [2, 5] }])
    expect(days.map((one) => one.day)).not.toContain('2020-01-01')
    const more = { ...count, tokenId: tokens[0] as string, status: 200, requests: 5, latencies: [] }
    await addUsage(world.database.pool, [more])
    expect(await get('usage?days=7')).toMatchObject({ since, days })
    world.clock.advance(MINUTE)
    const later = (await get('usage?days=7')) as { days: unknown[] }
    expect(later.days).toContainEqual(
      expect.objectContaining({ day, statuses: [{ status: 200, requests: 12 }, statuses[1]] }),
    )
    world.clock.advance(-MINUTE)
  } finally {
    await world.database.query('DELETE FROM token_usage WHERE token_id = ANY($1::uuid[])', [tokens])
  }
  expect((await operator.browser.get('/api/operator/usage?days=91')).statusCode).toBe(400)
})

test('reports the findings of doctor as health, without secrets of the settings', async () => {
  answer = (_, response) => void response.writeHead(500).end()
  const health = (await get('health')) as { findings: Finding[] }
  expect(health.findings.map(({ name }) => name)).toEqual(expect.arrayContaining(['Database']))
  // Pages in other languages write the same from the message.
  for (const { name, check, subject, says, message } of health.findings) {
    expect(describeFinding(message, { texts: findingTexts, parts: partTexts }).says).toBe(says)
    expect(subject === null ? check : `${check} ${subject}`).toBe(name)
  }
  const text = JSON.stringify(health)
  expect(text).not.toContain('key-of-a-node')
  expect(text).not.toContain(SECRET)
})

test('keeps the results of the checks for a minute, and checks again on request', async () => {
  let requests = 0
  answer = (_, response) => {
    requests++
    response.writeHead(500).end()
  }
  const checkedAt = async (query = '') => ((await get(`health${query}`)) as { checkedAt: string }).checkedAt
  world.clock.advance(2 * MINUTE)
  const first = await checkedAt()
  const once = requests
  expect(once).toBeGreaterThan(0)
  world.clock.advance(MINUTE)
  expect(await checkedAt()).toBe(first)
  expect(requests).toBe(once)
  expect(Date.parse(await checkedAt('?again=true'))).toBe(Date.parse(first) + MINUTE)
  expect(requests).toBe(2 * once)
  world.clock.advance(MINUTE + 1)
  await checkedAt()
  expect(requests).toBe(3 * once)
  expect((await operator.browser.get('/api/operator/health?again=yes')).statusCode).toBe(400)
})

test('filters the log of all accounts by event', async () => {
  const { events } = (await get('audit?event=data.imported&first=2')) as { events: { event: string }[] }
  expect(events.map(({ event }) => event)).toEqual(['data.imported', 'data.imported'])
  expect((await operator.browser.get('/api/operator/audit?event=A%00')).statusCode).toBe(400)
})
