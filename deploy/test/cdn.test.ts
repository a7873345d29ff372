import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { createServer, request as httpRequest, type IncomingMessage, type Server } from 'node:http'
import { request } from 'node:https'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { revokeToken } from '../../server/src/access/server-tokens.ts'
import { SECOND } from '../../server/src/clock.ts'
import { PUBLIC_RESPONSE_LIFETIME } from '../../server/src/lifetimes.ts'
import { startWorld, type World } from '../../server/test/support/fixture.ts'
import { publishableToken } from '../../server/test/support/pages.ts'
import { findNginx, type RunningNginx, startNginx } from './nginx.ts'

const nginx = findNginx()
if (nginx === undefined)
  process.stderr.write(
    'The cache of docs/guides/browser.md is not run: this machine has no nginx (apt-get install nginx).\n',
  )

const guide = readFileSync(join(import.meta.dirname, '../../docs/guides/browser.md'), 'utf8')
const [, zone = '', location = ''] =
  /```nginx\n(proxy_cache_path .*\n)\n(location = \/query \{\n[\s\S]*?\n\}\n)```/.exec(guide) ?? []

const [PAGE, SHOP] = ['https://www.example.com', 'https://shop.example']
const NAME = '{ space(id: 40) { name } }'
/** Seconds for which the caches hold the responses to these documents, in place of 30. The tests wait for their end. */
const SHORT = 2
const SHORT_LIVED = /query(%20|\+)(Fresh|Revoked)/
const CACHE = '/var/lib/nginx/questboard'
const DOCUMENTED = `max-age=${PUBLIC_RESPONSE_LIFETIME / SECOND}`

describe.skipIf(nginx === undefined)('nginx as a cache for pages', () => {
  let world: World
  let relay: Server
  let front: RunningNginx
  let token: string
  let tokenId: string
  /** The requests that reach the service. */
  const arrived: IncomingMessage[] = []

  beforeAll(async () => {
    world = await startWorld({ settings: { QUESTBOARD_TRUSTED_PROXIES: '127.0.0.1' } })
    relay = createServer((asked, answer) => {
      arrived.push(asked)
      const { method = '', url: path = '', headers } = asked
      const forwarded = httpRequest(world.url + path, { method, headers, agent: false }, (response) => {
        const documented = response.headers['cache-control']
        const control = SHORT_LIVED.test(path) ? documented?.replace(DOCUMENTED, `max-age=${SHORT}`) : documented
        answer.writeHead(response.statusCode ?? 0, {
          ...response.headers,
          ...(control && { 'cache-control': control }),
        })
        response.pipe(answer)
      })
      asked.pipe(forwarded)
    }).listen(0, '127.0.0.1')
    await once(relay, 'listening')
    front = await startNginx(nginx as string, [(relay.address() as AddressInfo).port], (site, folder) => {
      const replaced = site.replace(/location = \/query \{[\s\S]*?\n {2}\}/, location)
      expect(replaced).not.toBe(site)
      return zone.replace(CACHE, `${folder}/cache`) + replaced
    })
    ;({ token, tokenId } = await publishableToken(world.deps, { origins: [PAGE, SHOP] }))
  })
  afterAll(async () => {
    await front?.stop()
    relay?.close()
    await world?.stop()
  })

  async function send(path: string, headers: Record<string, string>, body?: string) {
    const outgoing = request({
      ...{ host: '127.0.0.1', port: front.httpsPort, ca: front.certificate, servername: 'quests.example.org' },
      ...{ path, method: body === undefined ? 'GET' : 'POST', agent: false },
      headers: { host: 'quests.example.org', ...headers },
    })
    outgoing.end(body)
    const before = arrived.length
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
    const text = Buffer.concat(await response.toArray()).toString()
    return { status: response.statusCode, headers: response.headers, text, isHit: arrived.length === before }
  }
  const urlOf = (parameters: Record<string, string>) => `/query?${new URLSearchParams(parameters).toString()}`
  /** Each test has its own URL. */
  const queryOf = (name: string) => `query ${name} ${NAME}`
  const get = (name: string, headers: Record<string, string> = {}, own = token) =>
    send(urlOf({ access_token: own, query: queryOf(name) }), { origin: PAGE, ...headers })

  // nginx creates only the last folder of the path.
  test.runIf(existsSync('/etc/debian_version'))('the folder above that of the cache exists on Debian', () => {
    expect(zone).toContain(` ${CACHE} `)
    expect(existsSync(dirname(CACHE))).toBe(true)
  })

  test('serves a second client from the cache', async () => {
    const first = await get('Hit')
    expect([first.status, first.isHit, first.text]).toEqual([200, false, '{"data":{"space":{"name":"Aurora Guild"}}}'])
    expect(first.headers['strict-transport-security']).toBe('max-age=31536000')
    const second = await get('Hit', { 'user-agent': 'another client' })
    expect(second).toEqual({ ...first, isHit: true, headers: { ...first.headers, date: second.headers.date } })
    expect(second.headers['access-control-allow-origin']).toBe(PAGE)
  })

  test('keeps the responses of each origin apart, and gives none to an origin that the token does not list', async () => {
    for (const origin of [PAGE, SHOP]) {
      for (const isHit of [false, true]) {
        const answer = await get('Origins', { origin })
        expect([answer.status, answer.isHit]).toEqual([200, isHit])
        expect(answer.headers['access-control-allow-origin']).toBe(origin)
      }
    }
    for (const origin of ['https://evil.example', 'null', '']) {
      for (let time = 0; time < 2; time++) {
        const answer = await get('Origins', { origin })
        expect([answer.status, answer.isHit]).toEqual([403, false])
        expect(answer.headers['access-control-allow-origin']).toBeUndefined()
      }
    }
    expect((await get('Origins')).isHit).toBe(true)
  })

  test('keeps media types apart', async () => {
    const first = await get('Vary')
    expect(first.headers.vary).toBe('origin, accept, accept-encoding')
    const graphql = await get('Vary', { accept: 'application/graphql-response+json' })
    expect([graphql.isHit, graphql.headers['content-type']]).toEqual([
      false,
      'application/graphql-response+json; charset=utf-8',
    ])
    expect((await get('Vary')).headers['content-type']).toBe('application/json; charset=utf-8')
  })

  test('gives no token the response of another one', async () => {
    const other = await publishableToken(world.deps, { origins: [PAGE], spaces: [41] })
    expect((await get('Tokens')).status).toBe(200)
    const answer = await get('Tokens', {}, other.token)
    expect(answer.isHit).toBe(false)
    expect(answer.text).toContain('may not read this space')
    // Two different tokens in one request.
    const both = await get('Both', { 'access-token': other.token })
    expect([both.status, both.isHit]).toEqual([400, false])
  })

  test.each([
    ['a token in a header', () => send(urlOf({ query: queryOf('Header') }), { origin: PAGE, 'access-token': token })],
    [
      'a token in Authorization',
      () => send(urlOf({ query: queryOf('Bearer') }), { origin: PAGE, authorization: `Bearer ${token}` }),
    ],
    ['an error', () => get('Wrong { nothing } #')],
    [
      'a field that fails',
      () => send(urlOf({ access_token: token, query: '{ space(id: 41) { name } }' }), { origin: PAGE }),
    ],
    [
      'POST',
      () =>
        send(
          urlOf({ access_token: token }),
          { origin: PAGE, 'access-token': token, 'content-type': 'application/json' },
          JSON.stringify({ query: NAME }),
        ),
    ],
    ['a server token', () => send(urlOf({ query: NAME }), { 'access-token': world.personas.business })],
  ])('never serves %s from the cache', async (_, ask) => {
    for (let time = 0; time < 3; time++) {
      const { headers, isHit } = await ask()
      expect(isHit).toBe(false)
      expect(headers['cache-control']).toMatch(/^(private|no-store)/)
    }
  })

  test('returns 304 from the cache, and asks the service with the ETag when the response is old', async () => {
    const first = await get('Fresh')
    const { etag = '' } = first.headers
    const unchanged = await get('Fresh', { 'if-none-match': etag })
    expect([unchanged.status, unchanged.text, unchanged.isHit]).toEqual([304, '', true])
    await sleep(SHORT * SECOND + 1_100)
    const later = await get('Fresh')
    expect([later.status, later.text, later.isHit]).toEqual([200, first.text, false])
    expect(arrived.at(-1)?.headers['if-none-match']).toBe(etag)
    expect((await get('Fresh')).isHit).toBe(true)
  })

  test('rejects a revoked token as soon as the response is old', async () => {
    expect((await get('Revoked')).headers['cache-control']).toBe(`public, max-age=${SHORT}`)
    await revokeToken(world.deps, tokenId)
    const cached = await get('Revoked')
    expect([cached.status, cached.isHit]).toEqual([200, true])
    await sleep(SHORT * SECOND + 1_100)
    for (let time = 0; time < 2; time++) {
      const answer = await get('Revoked')
      expect([answer.status, answer.isHit]).toEqual([401, false])
      expect(answer.text).toContain('revoked')
    }
  })
})
