import { afterAll, beforeEach, expect, test } from 'vitest'
import { address } from '../support/evm-node.ts'
import type { ServerResponse } from 'node:http'
import { type Answer, startUpstream } from '../support/upstream.ts'
import { createPendingLists, abandonLists } from '../../src/ingest/replace-holders.queries.ts'
import { setSource } from '../../src/sync/set-source.ts'
import { syncFixture } from './arrange.ts'

let answer: Answer
const upstream = await startUpstream((request, response) => answer(request, response))
const canary = await startUpstream((_, response) => void response.end(`["${address(1)}"]`))
const fixture = await syncFixture(upstream)
const { credential, run, holders, state, pauses } = fixture
const { clock } = fixture.deps

const three = [address(1), address(2), address(3)]
const json =
  (body: unknown, status = 200) =>
  (_: unknown, response: ServerResponse): void =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
const text =
  (body: string, type = 'text/plain'): Answer =>
  (_, response) =>
    void response.writeHead(200, { 'content-type': type }).end(body)
const rest = (more: object = {}) => ({ kind: 'REST', url: `${upstream.url}/holders`, ...more })

beforeEach(() => {
  upstream.requests.length = 0
  pauses.length = 0
})
afterAll(async () => {
  expect(canary.connections()).toBe(0)
  await Promise.all([upstream.close(), canary.close(), fixture.close()])
})

test('imports the list, and sets its time and count', async () => {
  answer = json([address(2), address(1), address(1).toUpperCase().replace('0X', '0x'), address(3)])
  const id = await credential(rest())
  clock.advance(60_000)
  expect(await run(id)).toEqual({ read: 4, skipped: 0, before: 0, holders: 3, added: 3, removed: 0 })
  expect(await holders(id)).toEqual(three)
  const now = new Date(clock.now())
  expect(await state(id)).toMatchObject({
    sync_status: 'SYNCED',
    item_count: 3,
    last_sync: now,
    last_update: now,
    state: 'done',
    reason: null,
  })
})

test('updates only the sync time if a run finds no change', async () => {
  answer = json(three)
  const id = await credential(rest())
  await run(id)
  const changed = (await state(id)).last_update
  clock.advance(60_000)
  expect(await run(id)).toMatchObject({ added: 0, removed: 0, holders: 3 })
  expect(await state(id)).toMatchObject({
    last_update: changed,
    last_sync: new Date(clock.now()),
    sync_status: 'SYNCED',
  })
})

test('is SYNCING during a run and keeps the old list', async () => {
  answer = json(three)
  const id = await credential(rest())
  await run(id)
  let during: unknown
  answer = async (_, response) => {
    during = [(await state(id)).sync_status, (await state(id)).state, (await holders(id)).length]
    response.end(JSON.stringify([...three, address(4)]))
  }
  await run(id)
  expect(during).toEqual(['SYNCING', 'running', 3])
  expect(await holders(id)).toHaveLength(4)
})

test('follows pages by number, offset, cursor and link', async () => {
  const pages = [three.slice(0, 2), three.slice(2), []]
  answer = ({ url }, response) => {
    const page = Number(new URL(url, upstream.url).searchParams.get('page') ?? 1)
    json(pages[page - 1])(undefined, response)
  }
  const byPage = await credential(rest({ next: { page: { parameter: 'page' } } }))
  await run(byPage)
  expect(await holders(byPage)).toEqual(three)

  answer = ({ url }, response) => {
    const offset = Number(new URL(url, upstream.url).searchParams.get('skip') ?? 0)
    json({ data: { rows: three.slice(offset, offset + 2).map((wallet) => ({ wallet })) } })(undefined, response)
  }
  const byOffset = await credential(
    rest({ list: '/data/rows', address: '/wallet', next: { offset: { parameter: 'skip' } } }),
  )
  await run(byOffset)
  expect(await holders(byOffset)).toEqual(three)

  answer = ({ url }, response) => {
    const at = Number(new URL(url, upstream.url).searchParams.get('after') ?? 0)
    json({ items: three.slice(at, at + 1), meta: { next: at < 2 ? String(at + 1) : null } })(undefined, response)
  }
  const byCursor = await credential(
    rest({ list: '/items', next: { cursor: { parameter: 'after', at: '/meta/next' } } }),
  )
  await run(byCursor)
  expect(await holders(byCursor)).toEqual(three)

  answer = ({ url }, response) => {
    const at = Number(new URL(url, upstream.url).searchParams.get('p') ?? 0)
    json({ items: three.slice(at, at + 1), next: at < 2 ? `/holders?p=${at + 1}` : null })(undefined, response)
  }
  const byLink = await credential(rest({ list: '/items', next: { url: { at: '/next' } } }))
  await run(byLink)
  expect(await holders(byLink)).toEqual(three)
})

test('reads CSV with a named column, CSV without a header, and plain lines', async () => {
  answer = text(`name,wallet\n"a, b",${address(1)}\n,${address(2)}\r\nc,${address(3)}\n`)
  const named = await credential({ kind: 'CSV', url: upstream.url, column: 'wallet' })
  await run(named)
  expect(await holders(named)).toEqual(three)

  answer = text(`a;${address(1)}\nb;${address(2)}\nc;${address(3)}`)
  const placed = await credential({ kind: 'CSV', url: upstream.url, column: 2, delimiter: ';' })
  await run(placed)
  expect(await holders(placed)).toEqual(three)

  answer = text(`\uFEFF${three.join('\r\n')}\r\n\r\n`)
  const lines = await credential({ kind: 'CSV', url: upstream.url, format: 'text' })
  await run(lines)
  expect(await holders(lines)).toEqual(three)
})

test('follows the cursor of a GraphQL source', async () => {
  answer = ({ body }, response) => {
    const { variables } = JSON.parse(body) as { variables: { after: string | null; size: number } }
    const at = Number(variables.after ?? 0)
    const page = { endCursor: String(at + variables.size), hasNextPage: at + variables.size < 3 }
    const edges = three.slice(at, at + variables.size).map((id) => ({ node: { id } }))
    json({ data: { holders: { edges, pageInfo: page } } })(undefined, response)
  }
  const id = await credential({
    kind: 'GRAPHQL',
    url: upstream.url,
    query: 'query Holders($after: String, $size: Int!) { holders(after: $after, first: $size) { … } }',
    variables: { size: 2 },
    list: '/holders/edges',
    address: '/node/id',
    next: { cursor: { variable: 'after', at: '/holders/pageInfo/endCursor', more: '/holders/pageInfo/hasNextPage' } },
    headers: { authorization: 'Bearer key' },
  })
  await run(id)
  expect(await holders(id)).toEqual(three)
  expect(upstream.requests).toHaveLength(2)
  expect(upstream.requests[0]?.headers.authorization).toBe('Bearer key')
})

test.each([{ cursor: { parameter: 'cursor', at: '/next' } }, { url: { at: '/next' } }])(
  'refuses to read only the first page of lines, which cannot have the next page %j',
  async (next) => {
    answer = text(three.join('\n'))
    const id = await credential(rest({ format: 'text', next }))
    await expect(run(id)).rejects.toThrow('needs the format json')
    expect(await holders(id)).toEqual([])
  },
)

test('names the data of a GraphQL response in which the list is missing', async () => {
  answer = json({ data: { holders: [] } })
  const id = await credential({
    kind: 'GRAPHQL',
    url: upstream.url,
    query: '{ holders { id } }',
    list: '/data/holders',
  })
  await expect(run(id)).rejects.toThrow(/"data" in the response of .* has no list at "\/data\/holders"/)
})

test('follows the last id of a subgraph', async () => {
  answer = ({ body }, response) => {
    const { variables } = JSON.parse(body) as { variables: { lastId: string } }
    const rows = three.filter((wallet) => `id-${wallet}` > variables.lastId).slice(0, 2)
    json({ data: { accounts: rows.map((wallet) => ({ id: `id-${wallet}`, wallet })) } })(undefined, response)
  }
  const id = await credential({
    kind: 'SUBGRAPH',
    url: upstream.url,
    query: 'query ($lastId: ID!) { accounts(first: 2, where: { id_gt: $lastId }) { id wallet } }',
    variables: { lastId: '' },
    list: '/accounts',
    address: '/wallet',
    next: { idGt: { variable: 'lastId' } },
  })
  await run(id)
  expect(await holders(id)).toEqual(three)
  expect(upstream.requests).toHaveLength(3)
})

test.each<[string, Answer, RegExp]>([
  ['a status', json({}, 404), /responded with status 404/],
  ['a page for people', text('<html>sign in</html>'), /not JSON/],
  ['no list', json({ holders: 1 }), /has no list at ""/],
  ['something that is no address', json([address(1), 'alice']), /entry 2, address: "alice" is not allowed/],
  ['numbers', json([1, 2]), /entry 1, address: "1" is not allowed/],
  [
    'a redirect to a private place',
    (_, r) => void r.writeHead(302, { location: canary.url }).end(),
    /not on the public/,
  ],
  [
    'a broken connection',
    (_, r) => void r.writeHead(200, { 'content-length': '100' }).write('[', () => r.destroy()),
    /connection/,
  ],
  ['nothing at all', json([]), /3 of the current 3 are not among them/],
])('keeps the list and reports the reason if the source returns %s', async (_, wrong, reason) => {
  answer = json(three)
  const id = await credential(rest())
  await run(id)
  const before = await state(id)
  clock.advance(60_000)
  answer = wrong
  await expect(run(id)).rejects.toThrow(reason)
  expect(await holders(id)).toEqual(three)
  const after = await state(id)
  expect(after).toMatchObject({ sync_status: 'SYNCING', item_count: 3, last_sync: before.last_sync, failures: 1 })
  expect(after.reason).toMatch(reason)

  answer = json(three)
  await run(id)
  expect(await state(id)).toMatchObject({ sync_status: 'SYNCED', state: 'done', reason: null, failures: 0 })
})

test.each<[string, object, Answer, RegExp]>([
  ['a web page', { kind: 'CSV' }, text('<html>', 'text/html'), /HTML page/],
  ['no such column', { kind: 'CSV' }, text('a,b\n1,2\n'), /no column "address"/],
  ['an endless line', { kind: 'CSV', format: 'text' }, text('x'.repeat(200_000)), /more than 100000 characters/],
  ['an open quote', { kind: 'CSV' }, text('address\n"0x'), /not CSV/],
  [
    'a cursor again and again',
    { list: '/l', next: { cursor: { parameter: 'c', at: '/n' } } },
    json({ l: [], n: 'x' }),
    /repeats a page/,
  ],
  [
    'more pages than allowed',
    { maxPages: 2, next: { page: { parameter: 'p' } } },
    json([address(1)]),
    /more than 2 pages/,
  ],
  [
    'a link to elsewhere',
    { list: '/l', next: { url: { at: '/n' } } },
    json({ l: [], n: 'http://example.com/' }),
    /not on http/,
  ],
  [
    'a cursor of another kind',
    { list: '/l', next: { cursor: { parameter: 'c', at: '/n' } } },
    json({ l: [], n: {} }),
    /neither text nor number/,
  ],
])('fails at %s', async (_, more, wrong, reason) => {
  answer = wrong
  const id = await credential({ ...rest(), ...more })
  await expect(run(id)).rejects.toThrow(reason)
  expect(await holders(id)).toEqual([])
})

test('fails at GraphQL errors even if the response has data', async () => {
  answer = json({ data: { l: [address(1)] }, errors: [{ message: 'timed out' }] })
  const id = await credential({ kind: 'GRAPHQL', url: upstream.url, query: '{ l }', list: '/l' })
  await expect(run(id)).rejects.toThrow(/returned an error: "timed out"/)
})

test('retries a page after a temporary failure, at the time that the source names', async () => {
  const statuses = [503, 429]
  answer = (_, response) => {
    const status = statuses.shift()
    if (status === undefined) json(three)(undefined, response)
    else response.writeHead(status, status === 429 ? { 'retry-after': '7' } : {}).end()
  }
  const id = await credential(rest())
  await run(id)
  expect(pauses).toEqual([1_000, 7_000])
  expect(await holders(id)).toEqual(three)
})

test('requests a failing page four times per run', async () => {
  answer = json({}, 500)
  const id = await credential(rest())
  await expect(run(id)).rejects.toThrow('status 500')
  expect(upstream.requests).toHaveLength(4)
})

test('accepts no own addresses of accounts from a source', async () => {
  answer = json(['0f30eaad-5b6c-4d7e-8f90-a1b2c3d4e5f6', address(1)])
  const id = await credential(rest({ invalid: 'skip' }))
  expect(await run(id)).toMatchObject({ read: 2, skipped: 1, holders: 1 })
})

test('skips invalid addresses if the source allows it', async () => {
  answer = json(['alice', address(1), null, address(2)])
  const id = await credential(rest({ invalid: 'skip' }))
  expect(await run(id)).toMatchObject({ read: 4, skipped: 2, holders: 2 })
})

test('holds a run that would remove too many holders until an operator confirms it', async () => {
  answer = json(three)
  const id = await credential(rest({ mostRemoved: 0.4 }))
  await run(id)
  answer = json([address(1), address(2), address(4)])
  expect(await run(id)).toMatchObject({ added: 1, removed: 1 })
  answer = json([address(1), address(8), address(9)])
  await expect(run(id)).rejects.toThrow('2 of the current 3')
  expect(await state(id)).toMatchObject({ state: 'held', sync_status: 'SYNCING' })
  expect(await holders(id)).toHaveLength(3)
  expect(await run(id, { confirmed: true })).toMatchObject({ added: 2, removed: 2 })
  expect(await holders(id)).toEqual([address(1), address(8), address(9)])
  answer = json([])
  expect(await run(id, { confirmed: true })).toMatchObject({ holders: 0 })
  expect(await state(id)).toMatchObject({ item_count: 0, sync_status: 'SYNCED' })
})

test('runs only once at a time for a credential', async () => {
  let second: Promise<unknown> | undefined
  answer = async (_, response) => {
    second = run(id).catch((error: Error) => error.name)
    await second
    response.end(JSON.stringify(three))
  }
  const id = await credential(rest())
  await run(id)
  expect(await second).toBe('AlreadyRunningError')
})

test('replaces a stalled run, which can then no longer publish', async () => {
  let first = true
  answer = async (_, response) => {
    if (first) {
      first = false
      clock.advance(91_000)
      await run(id)
      response.end(JSON.stringify([address(9)]))
    } else response.end(JSON.stringify(three))
  }
  const id = await credential(rest())
  await expect(run(id, { confirmed: true })).rejects.toThrow('another run took over')
  expect(await holders(id)).toEqual(three)
  expect(await state(id)).toMatchObject({ state: 'done', sync_status: 'SYNCED' })
})

test('stays SYNCED if a page to visit replaces its source while a run fills a list', async () => {
  const { kysely } = fixture.deps.database
  const now = () => new Date(clock.now())
  answer = async (_, response) => {
    const [stalled] = await kysely.transaction().execute((trx) => createPendingLists(trx, [id], now()))
    await setSource(fixture.deps, id, { kind: 'VISIT_LINK', target: 'https://example.org/' })
    const [imported] = await kysely.transaction().execute((trx) => createPendingLists(trx, [id], now()))
    for (const list of [imported, stalled])
      await kysely.transaction().execute((trx) => abandonLists(trx, list ? [list] : []))
    json({}, 404)(_, response)
  }
  const id = await credential(rest())
  await expect(run(id)).rejects.toThrow('404')
  expect(await state(id)).toMatchObject({ sync_status: 'SYNCED' })
})

test('normalizes handles', async () => {
  answer = json(['@Alice', 'BOB'])
  const id = await credential(rest(), { credType: 'TWITTER' })
  await run(id)
  expect(await holders(id)).toEqual(['alice', 'bob'])
})
