import type { LookupFunction } from 'node:net'
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest'
import { parseAllowedHost, type AllowedHost } from '../../src/settings/hosts.ts'
import { createOutgoing, type Outgoing, type OutgoingRequest } from '../../src/outgoing/outgoing.ts'
import { OutgoingError, type OutgoingFailure } from '../../src/outgoing/outgoing-error.ts'
import { publicNames } from '../../src/outgoing/public-names.ts'
import { readText } from '../../src/outgoing/read.ts'
import { lookedUp } from '../support/looked-up.ts'
import { startNameServer } from '../support/name-server.ts'
import { type Answer, startUpstream, type Upstream } from '../support/upstream.ts'

let answer: Answer
const source = await startUpstream((request, response) => answer(request, response))
const elsewhere = await startUpstream((request, response) => answer(request, response))
/** A machine in the private network that is not configured. */
const canary = await startUpstream((_, response) => void response.end('secret'))
const doors: Outgoing[] = []

const hosts = (...upstreams: Upstream[]) => upstreams.map(({ host }) => parseAllowedHost(host) as AllowedHost)
const door = (options: Parameters<typeof createOutgoing>[0]) => {
  const created = createOutgoing(options)
  doors.push(created)
  return created
}
const names = (table: Record<string, string[]>, asked: string[] = []): LookupFunction => {
  return (hostname, options, done) => {
    asked.push(hostname)
    const found = (table[hostname] ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
    if (found.length === 0) done(Object.assign(new Error('not found'), { code: 'ENOTFOUND' }), '')
    else if (options.all) done(null, found)
    else done(null, found[0]?.address as string, found[0]?.family)
  }
}
const get = (outgoing: Outgoing, url: string, more: Partial<OutgoingRequest> = {}) =>
  readText(outgoing, { url, maxBytes: 1_000, timeout: 5_000, ...more })

async function failure(promise: Promise<unknown>): Promise<OutgoingFailure> {
  const error: unknown = await promise.then(
    () => new Error('no failure'),
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof OutgoingError)) throw error
  return error.failure
}

beforeEach(() => {
  answer = (_, response) => void response.end('hello')
  source.requests.length = 0
})
afterEach(async () => {
  expect(canary.connections()).toBe(0)
  await Promise.all(doors.splice(0).map((each) => each.close()))
})
afterAll(() => Promise.all([source, elsewhere, canary].map((upstream) => upstream.close())))

test('returns the status and headers of a configured host', async () => {
  answer = (_, response) => void response.writeHead(404, { 'x-note': 'yes' }).end('nothing here')
  const got = await get(door({ hosts: hosts(source) }), `${source.url}/a?b=c#d`)
  expect(got).toMatchObject({ status: 404, text: 'nothing here', url: `${source.url}/a?b=c` })
  expect(got.headers['x-note']).toBe('yes')
  expect(source.requests[0]?.url).toBe('/a?b=c')
})

test('sends the given body and headers', async () => {
  const request = { method: 'POST' as const, headers: { 'content-type': 'application/json' }, body: '{"a":1}' }
  await get(door({ hosts: hosts(source) }), source.url, request)
  expect(source.requests[0]).toMatchObject({ method: 'POST', body: '{"a":1}' })
})

test.each([
  (port: number) => `http://127.0.0.1:${port}/`,
  (port: number) => `http://2130706433:${port}/`,
  (port: number) => `http://0x7f.1:${port}/`,
  (port: number) => `http://0177.0.0.1:${port}/`,
  (port: number) => `http://0:${port}/`,
  (port: number) => `http://localhost:${port}/`,
  (port: number) => `http://LocalHost:${port}/`,
  (port: number) => `http://[::1]:${port}/`,
  (port: number) => `http://[::ffff:127.0.0.1]:${port}/`,
  (port: number) => `http://[::ffff:7f00:1]:${port}/`,
  (port: number) => `http://[64:ff9b::7f00:1]:${port}/`,
  (port: number) => `http://１２７.0.0.1:${port}/`,
])('rejects loopback addresses without a connection, in any spelling (%#)', async (url) => {
  expect(await failure(get(door({ hosts: hosts(source) }), url(canary.port)))).toBe('address')
})

test.each(['10.0.0.1', '169.254.169.254', '[fe80::1]', '[fd00:ec2::254]', '100.64.0.1', '224.0.0.1'])(
  'rejects %s',
  async (host) => expect(await failure(get(door({ hosts: [] }), `http://${host}/`))).toBe('address'),
)

test('rejects a name with a private address, and reports a name without an address', async () => {
  const outgoing = door({ hosts: [], lookup: names({ 'a.test': ['127.0.0.1', '::1'], 'b.test': ['10.1.2.3'] }) })
  expect(await failure(get(outgoing, `http://a.test:${canary.port}/`))).toBe('address')
  expect(await failure(get(outgoing, 'http://b.test/'))).toBe('address')
  expect(await failure(get(outgoing, 'http://c.test/'))).toBe('name')
})

test('resolves unknown names through name servers, and reports the same for private and missing addresses', async () => {
  const table = {
    'a.test': ['10.1.2.3', 'fd00:0:0:0:0:0:0:1'],
    'b.test': ['10.1.2.3', '2606:4700:0:0:0:0:0:1111', '1.1.1.1'],
    'silent.test': null,
  }
  const names = await startNameServer(table)
  try {
    const found = await new Promise((resolve, reject) =>
      publicNames({ servers: [names.server] })('b.test', {}, (error, all) => (error ? reject(error) : resolve(all))),
    )
    expect(found).toEqual([
      { address: '10.1.2.3', family: 4 },
      { address: '1.1.1.1', family: 4 },
      { address: '2606:4700::1111', family: 6 },
    ])
    const outgoing = door({ hosts: [], lookup: publicNames({ servers: [names.server] }) })
    const [inside, nowhere] = await Promise.all(
      ['a.test', 'c.test'].map((name) => get(outgoing, `http://${name}/`).catch((error: Error) => error)),
    )
    expect([inside, nowhere]).toMatchObject([{ failure: 'address' }, { failure: 'name' }])
    expect((inside as Error).message.replace('a.test', '')).toBe((nowhere as Error).message.replace('c.test', ''))
    const hurried = door({ hosts: [], lookup: publicNames({ servers: [names.server], timeout: 300 }) })
    expect(await failure(get(hurried, 'http://silent.test/'))).toBe('time')
  } finally {
    await names.close()
  }
})

test('resolves only names of the operator through the system resolver, which has few threads', async () => {
  const outgoing = door({ hosts: hosts(source).map(({ port }) => ({ hostname: 'localhost', port })) })
  const configured = () => get(outgoing, `http://localhost:${source.port}/`)
  expect(await lookedUp(configured)).toEqual({ system: 1, nameServers: 0 })
  const strange = () => failure(get(outgoing, 'http://strange.invalid/', { timeout: 50 }))
  expect(await lookedUp(strange)).toEqual({ system: 0, nameServers: 2 })
  expect(await lookedUp(() => failure(get(outgoing, `http://localhost:${canary.port}/`)))).toEqual({
    system: 0,
    nameServers: 0,
  })
})

test('resolves a name once and connects to the checked address (DNS rebinding)', async () => {
  const good = await startUpstream((_, response) => void response.end('checked'), '127.0.0.9')
  const asked: string[] = []
  const answers = [['127.0.0.9'], ['127.0.0.1']]
  const lookup: LookupFunction = (hostname, options, done) =>
    names({ 'rebind.test': answers.shift() ?? [] }, asked)(hostname, options, done)
  const outgoing = door({ hosts: [], lookup, permits: (address) => address === '127.0.0.9' })
  try {
    expect((await get(outgoing, `http://rebind.test:${good.port}/`)).text).toBe('checked')
    expect(asked).toEqual(['rebind.test'])
    expect(await failure(get(outgoing, `http://rebind.test:${canary.port}/`))).toBe('address')
  } finally {
    await good.close()
  }
})

test('tries only the permitted ones of several addresses', async () => {
  const good = await startUpstream((_, response) => void response.end('checked'), '127.0.0.9')
  const lookup = names({ 'mixed.test': ['127.0.0.1', '127.0.0.9'] })
  const outgoing = door({ hosts: [], lookup, permits: (address) => address === '127.0.0.9' })
  try {
    expect((await get(outgoing, `http://mixed.test:${good.port}/`)).text).toBe('checked')
  } finally {
    await good.close()
  }
})

test.each([
  ['another scheme', 'ftp://example.com/'],
  ['a file', 'file:///etc/passwd'],
  ['no host', '/relative'],
  ['credentials', 'http://user:secret@example.com/'],
  ['thousands of characters', `http://example.com/${'a'.repeat(9_000)}`],
])('rejects a URL with %s', async (_, url) => {
  expect(await failure(get(door({ hosts: [] }), url))).toBe('url')
})

test('follows at most three redirects within the allowed hosts', async () => {
  answer = ({ url }, response) => {
    const left = Number(url.slice(1))
    if (left === 0) response.end('there')
    else response.writeHead(302, { location: `/${left - 1}` }).end()
  }
  const outgoing = door({ hosts: hosts(source) })
  expect(await get(outgoing, `${source.url}/3`)).toMatchObject({ text: 'there', url: `${source.url}/0` })
  expect(await failure(get(outgoing, `${source.url}/4`))).toBe('redirect')
  expect(await failure(get(outgoing, `${source.url}/1`, { redirects: 0 }))).toBe('redirect')
})

test('checks each redirect like a new request', async () => {
  const outgoing = door({ hosts: hosts(source) })
  const to = async (location: string) => {
    answer = (_, response) => void response.writeHead(302, { location }).end()
    return failure(get(outgoing, source.url))
  }
  expect(await to(canary.url)).toBe('address')
  expect(await to('http://169.254.169.254/latest/meta-data/')).toBe('address')
  expect(await to(`//127.0.0.1:${canary.port}/`)).toBe('address')
  expect(await to('file:///etc/passwd')).toBe('url')
  expect(await to(`http://a:b@${canary.host}/`)).toBe('url')
  expect(await to('http://[')).toBe('redirect')
})

test('does not send secrets to another origin after a redirect', async () => {
  answer = ({ url }, response) => {
    if (url === '/from') response.writeHead(307, { location: `${elsewhere.url}/to` }).end()
    else response.end('there')
  }
  const headers = { authorization: 'Bearer s', cookie: 'a=b', 'x-api-key': 's', accept: 'text/csv' }
  await get(door({ hosts: hosts(source, elsewhere) }), `${source.url}/from`, { headers })
  expect(source.requests[0]?.headers).toMatchObject(headers)
  const arrived = elsewhere.requests.at(-1)?.headers
  expect(arrived).toMatchObject({ accept: 'text/csv' })
  for (const name of ['authorization', 'cookie', 'x-api-key']) expect(arrived).not.toHaveProperty(name)
})

test('repeats a POST at 308 and fails at 302', async () => {
  answer = ({ url }, response) => {
    if (url === '/to') response.end('there')
    else response.writeHead(Number(url.slice(1)), { location: '/to' }).end()
  }
  const outgoing = door({ hosts: hosts(source) })
  const post = (url: string) => get(outgoing, url, { method: 'POST', body: 'x' })
  expect((await post(`${source.url}/308`)).text).toBe('there')
  expect(source.requests.at(-1)).toMatchObject({ method: 'POST', body: 'x' })
  expect(await failure(post(`${source.url}/302`))).toBe('redirect')
})

test('rejects a response over the limit, with or without a content-length', async () => {
  const outgoing = door({ hosts: hosts(source) })
  answer = (_, response) => void response.writeHead(200, { 'content-length': '1001' }).end('x'.repeat(1_001))
  expect(await failure(get(outgoing, source.url))).toBe('size')
  let sent = 0
  answer = (_, response) => {
    const more = () => {
      while (!response.destroyed && sent++ < 100_000)
        if (!response.write('x'.repeat(500))) return void response.once('drain', more)
    }
    more()
  }
  expect(await failure(get(outgoing, source.url))).toBe('size')
  expect(sent).toBeLessThan(100_000)
  answer = (_, response) => void response.end('x'.repeat(1_000))
  expect((await get(outgoing, source.url)).text).toHaveLength(1_000)
})

test('rejects a compressed response, which could expand to any size', async () => {
  answer = (_, response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end('…')
  expect(await failure(get(door({ hosts: hosts(source) }), source.url))).toBe('encoding')
  expect(source.requests[0]?.headers['accept-encoding']).toBe('identity')
})

test('ends at the deadline if the response is silent or slow', async () => {
  const outgoing = door({ hosts: hosts(source) })
  answer = () => {}
  expect(await failure(get(outgoing, source.url, { timeout: 150 }))).toBe('time')
  answer = (_, response) => {
    const timer = setInterval(() => response.write('.'), 20)
    response.on('close', () => clearInterval(timer))
  }
  expect(await failure(get(outgoing, source.url, { timeout: 150 }))).toBe('time')
})

test('reports broken and refused connections as connection errors', async () => {
  const outgoing = door({ hosts: [...hosts(source), { hostname: '127.0.0.1', port: 1 }] })
  answer = (_, response) => {
    response.write('half')
    setTimeout(() => response.destroy(), 20)
  }
  expect(await failure(get(outgoing, source.url))).toBe('connection')
  expect(await failure(get(outgoing, 'http://127.0.0.1:1/'))).toBe('connection')
})

test('closes the connection of an unread response', async () => {
  const closed = new Promise<void>((resolve) => {
    answer = (_, response) => {
      response.once('close', resolve)
      response.write('x'.repeat(100))
    }
  })
  const outgoing = door({ hosts: hosts(source) })
  const status = await outgoing.send({ url: source.url, maxBytes: 1_000, timeout: 5_000 }, async (got) => got.status)
  expect(status).toBe(200)
  await closed
})

test('sends nothing after the close, also if nothing was sent before', async () => {
  const fresh = door({ hosts: hosts(source) })
  await fresh.close()
  expect(await failure(get(fresh, source.url))).toBe('connection')
  const used = door({ hosts: hosts(source) })
  await get(used, source.url)
  await used.close()
  expect(await failure(get(used, source.url))).toBe('connection')
  expect(source.requests).toHaveLength(1)
})
