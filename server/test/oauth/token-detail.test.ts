import { afterAll, beforeAll, expect, test } from 'vitest'
import { ADMITTED } from '../../src/http/admission.ts'
import { createServices } from '../../src/services.ts'
import { overloaded } from '../../src/oauth/errors.ts'
import { approvedApp, signedInBrowser, tokensFor } from '../support/oauth-flow.ts'
import { ISSUER } from '../support/oauth-service.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
let token: string
beforeAll(async () => {
  service = await startService({
    settings: { QUESTBOARD_PUBLIC_URL: ISSUER, QUESTBOARD_SECRET: 'a secret of at least thirty-two characters' },
  })
  const { fastify } = service.app
  const signedIn = {
    ...service,
    fastify,
    services: createServices(service.deps),
    issuer: ISSUER,
    routes: [],
    routeTable: [],
  }
  const flow = { ...signedIn, close: () => service.stop() }
  const app = await approvedApp(flow)
  const { browser } = await signedInBrowser(flow)
  token = (await tokensFor(flow, browser, app, { scope: 'EVMAddress' })).access_token
})
afterAll(() => service.stop())

const PATH = '/oauth/api/2/token'

test.each<[string, string, () => Record<string, string>, number]>([
  ['a valid token', PATH, () => ({ authorization: `Bearer ${token}` }), 200],
  ['the other header', `${PATH}?`, () => ({ access_token: token }), 200],
  ['the header of the query endpoint', PATH, () => ({ 'access-token': token }), 200],
  ['the same token in all headers', PATH, () => ({ authorization: `Bearer ${token}`, 'access-token': token }), 200],
  ['two tokens in two headers', PATH, () => ({ access_token: token, 'access-token': 'other' }), 400],
  ['no token', PATH, () => ({}), 401],
  ['an unknown token', PATH, () => ({ access_token: 'qbu_nonsense' }), 401],
  ['two tokens', PATH, () => ({ authorization: `Bearer ${token}`, access_token: 'other' }), 400],
  ['a token in the URL', `${PATH}?access_token=x`, () => ({ access_token: token }), 400],
  ['a longer path', `${PATH}s`, () => ({ access_token: token }), 404],
])('responds to %s in the same way with and without the framework', async (_, url, headers, status) => {
  const around = await fetch(service.url + url, { headers: headers() })
  const through = await service.app.fastify.inject({ url, headers: headers() })
  expect(around.status).toBe(status)
  expect(through.statusCode).toBe(status)
  // The listener sets nosniff on every response; `inject` does not pass through it.
  const changing = ['connection', 'date', 'keep-alive', 'x-request-id', 'transfer-encoding', 'x-content-type-options']
  const lasting = (all: Iterable<[string, unknown]>) => [...all].filter(([name]) => !changing.includes(name)).toSorted()
  expect(lasting(around.headers)).toEqual(lasting(Object.entries(through.headers)))
  expect(around.headers.get('x-request-id')).toMatch(/^[0-9a-f]{32}$/)
  const withoutId = (text: string) => text.replaceAll(/[0-9a-f]{32}/g, '').replaceAll(/"timestamp":"[^"]*"/g, '')
  expect(withoutId(await around.text())).toBe(withoutId(through.body))
})

test.each([
  ['/oauth/api/2/user', 200],
  ['/oauth/userinfo', 403], // the token lacks openid
])('accepts the header of the query endpoint at %s', async (path, status) => {
  const { status: found } = await fetch(service.url + path, { headers: { 'access-token': token } })
  expect(found).toBe(status)
})

test('uses the framework for other methods of the path', async () => {
  const head = await fetch(service.url + PATH, { method: 'HEAD', headers: { access_token: token } })
  expect([head.status, await head.text()]).toEqual([200, ''])
  const preflight = await fetch(service.url + PATH, { method: 'OPTIONS' })
  expect([preflight.status, preflight.headers.get('access-control-allow-methods')]).toEqual([204, 'GET, POST'])
  expect((await fetch(service.url + PATH, { method: 'POST' })).status).toBe(405)
})

test('rejects requests over the limit quickly in the error format of OAuth', async () => {
  const { status, body } = overloaded()
  const blocker = await service.database.pool.connect()
  await blocker.query('BEGIN; LOCK TABLE access_tokens IN ACCESS EXCLUSIVE MODE')
  const refused: Response[] = []
  const asking = Array.from({ length: ADMITTED.running + 12 }, async () => {
    const answer = await fetch(service.url + PATH, { headers: { access_token: token } })
    if (answer.status === status) refused.push(answer)
    return answer.status
  })
  try {
    await expect.poll(() => refused.length).toBe(12)
  } finally {
    await blocker.query('ROLLBACK')
    blocker.release()
  }
  const [answer] = refused as [Response]
  expect(await answer.json()).toEqual(body)
  expect([answer.headers.get('retry-after'), answer.headers.get('x-request-id')]).toEqual([
    '1',
    expect.stringMatching(/^[0-9a-f]{32}$/) as string,
  ])
  expect((await Promise.all(asking)).filter((each) => each === 200)).toHaveLength(ADMITTED.running)
})
