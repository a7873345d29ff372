import fastifyCookie from '@fastify/cookie'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { setOperator } from '../../src/accounts/account.queries.ts'
import { notFound } from '../../src/errors.ts'
import { nameParameter, readCount } from '../../src/api/read-body.ts'
import { answerApiErrors } from '../../src/api/reply-error.ts'
import { type AccountCaller, route } from '../../src/api/route.ts'
import type { RouteDescription } from '../../src/api/route-description.ts'
import { captureNetworks } from '../../src/audit/client-network.ts'
import { FRESH_SIGN_IN } from '../../src/lifetimes.ts'
import { type Browser, openBrowser } from '../support/oauth-browser.ts'
import { type SignedIn, signedInBrowser } from '../support/oauth-flow.ts'
import { type SignInService, startSignIn } from '../support/oauth-service.ts'

interface Received {
  accountId?: string
  actor?: string | undefined
  params?: unknown
  resource?: unknown
  query?: unknown
  body?: unknown
  network?: string
  isFromForeignPage?: boolean
}

let service: SignInService
let fastify: FastifyInstance
let operator: SignedIn
let user: SignedIn
let received: Received[]

async function findThing({
  accountId,
  params: { name },
}: Pick<AccountCaller, 'accountId'> & { params: { name: string } }) {
  if (name !== 'known') throw notFound('Thing')
  return Promise.resolve({ name, owner: accountId })
}

const readPage = (_query: object, { size }: { size: string }) => size

const texts = {
  summary: 'A route of this test',
  tag: 'Account',
  answer: { status: 202, description: 'Received.' },
} as const

const change = {
  ...texts,
  method: 'POST',
  path: '/things/:name',
  who: 'operator',
  recentSignIn: true,
  params: { name: nameParameter('of the thing', 'Thing') },
  resource: findThing,
  query: { first: { description: 'at most so many', shape: z.int() } },
  readQuery: ({ first }) => ({ first: readCount('first', first, 9) }),
  body: z.strictObject({ title: z.string() }),
} as const satisfies RouteDescription

beforeAll(async () => {
  service = await startSignIn()
  const { services } = service
  fastify = Fastify({ trustProxy: true })
  captureNetworks(fastify)
  await fastify.register(fastifyCookie)
  answerApiErrors(fastify, services)
  route(fastify, services, change, ({ services: { actor }, accountId, params, resource, query, body, network }) => {
    received.push({ accountId, actor: actor?.accountId, params, resource, query, body, network })
    return { title: body.title.trim(), first: query.first.toFixed(), owner: resource.owner, name: params.name }
  })
  const perhaps = { ...texts, method: 'PUT', path: '/perhaps', who: 'anyone' } as const
  route(fastify, services, perhaps, async ({ request, authenticate }) => {
    if (request.headers['x-recent']) await authenticate({ recentSignIn: true })
    received.push({})
    return {}
  })
  const own = { ...texts, method: 'GET', path: '/own', who: 'account', head: false } as const
  route(fastify, services, own, ({ accountId, request, checkRecentSignIn }) => {
    if (request.headers['x-recent']) checkRecentSignIn()
    received.push({ accountId })
    return {}
  })
  const opened = {
    ...texts,
    method: 'GET',
    path: '/opened',
    who: 'anyone',
    query: { change: { description: 'whether the request changes something', shape: z.string() } },
    readQuery: ({ change }) => ({ isChange: change !== undefined }),
    ownPages: { only: ({ isChange }: { isChange: boolean }) => isChange, message: 'Start this on our own pages' },
  } as const satisfies RouteDescription
  route(fastify, services, opened, ({ isFromForeignPage }) => {
    received.push({ isFromForeignPage })
    return {}
  })
  await fastify.ready()
})
afterAll(async () => {
  await fastify.close()
  await service.close()
})
beforeEach(async () => {
  received = []
  operator = await signedInBrowser(service)
  user = await signedInBrowser(service)
  await setOperator(service.database.kysely, operator.account.id, new Date(service.clock.now()))
})

/** Sends a request to the routes of this test with the cookies of a browser. */
async function send(browser: Browser, method: 'GET' | 'HEAD' | 'POST' | 'PUT', url: string, sent: object = {}) {
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const { headers = {}, payload } = sent as { headers?: Record<string, string>; payload?: object }
  const request = { method, url, remoteAddress: '192.0.2.7', headers: { cookie, ...headers } }
  const response = await fastify.inject({ ...request, ...(payload && { payload }) })
  const { error } = response.body === '' ? {} : response.json<{ error?: { code: string; field?: string } }>()
  return { status: response.statusCode, code: error?.code, field: error?.field, body: response.body }
}

const withCsrf = async (browser: Browser, payload: object = { title: 'x' }) => ({
  headers: { 'x-csrf-token': await browser.csrfToken() },
  payload,
})

describe('before the handler of a route runs, the route', () => {
  it.each([
    [{ title: 'x', colour: 'red' }, 'colour is not a known field', 'colour'],
    [{}, 'title is missing', 'title'],
    [{ title: 1 }, 'title must be of type string', 'title'],
  ])('names the invalid field of %j', async (payload, message, field) => {
    const answer = await send(operator.browser, 'POST', '/things/known', await withCsrf(operator.browser, payload))
    expect(JSON.parse(answer.body)).toMatchObject({ error: { code: 'invalid_argument', message, field } })
  })

  it('refuses a change without the CSRF token', async () => {
    const answer = await send(operator.browser, 'POST', '/things/known', { payload: { title: 'x' } })
    expect(answer).toMatchObject({ status: 403, code: 'bad_csrf_token' })
    expect(received).toEqual([])
  })

  it.each([
    ['same-origin', 202],
    ['none', 202],
    ['same-site', 403],
    ['cross-site', 403],
  ])(
    'responds to a request that only our own pages may start, with Sec-Fetch-Site: %s, with %i',
    async (site, status) => {
      const headers = { 'sec-fetch-site': site }
      const answer = await send(user.browser, 'GET', '/opened?change=1', { headers })
      expect([answer.status, answer.code]).toEqual([status, status === 403 ? 'foreign_request' : undefined])
      expect(received).toEqual(status === 403 ? [] : [{ isFromForeignPage: false }])
    },
  )

  it('tells whether a foreign page sent the browser to a route that pages of all sites may open', async () => {
    for (const site of ['cross-site', 'none'])
      expect((await send(user.browser, 'GET', '/opened', { headers: { 'sec-fetch-site': site } })).status).toBe(202)
    expect(received).toEqual([{ isFromForeignPage: true }, { isFromForeignPage: false }])
  })

  it('refuses a change with the CSRF token of another browser', async () => {
    const answer = await send(operator.browser, 'POST', '/things/known', await withCsrf(user.browser))
    expect(answer).toMatchObject({ status: 403, code: 'bad_csrf_token' })
    expect(received).toEqual([])
  })

  it('refuses a request without a session', async () => {
    const stranger = openBrowser(service.fastify)
    const sent = await withCsrf(stranger)
    expect(await send(stranger, 'POST', '/things/known', sent)).toMatchObject({ status: 401, code: 'sign_in_required' })
    expect(await send(stranger, 'GET', '/own')).toMatchObject({ status: 401, code: 'sign_in_required' })
    expect(received).toEqual([])
  })

  it('refuses an account that is not an operator', async () => {
    const answer = await send(user.browser, 'POST', '/things/known', await withCsrf(user.browser))
    expect(answer).toMatchObject({ status: 403, code: 'permission_denied' })
    expect(received).toEqual([])
  })

  it('refuses an old sign-in', async () => {
    service.clock.advance(FRESH_SIGN_IN + 1)
    const answer = await send(operator.browser, 'POST', '/things/known', await withCsrf(operator.browser))
    expect(answer).toMatchObject({ status: 403, code: 'fresh_sign_in_required' })
    expect(received).toEqual([])
  })

  it('checks CSRF, session, operator, recent sign-in, path, resource, query and body in this order', async () => {
    const stranger = openBrowser(service.fastify)
    await stranger.csrfToken()
    const wrong = async (browser: Browser, url: string, csrf = true) => {
      const { headers, payload } = await withCsrf(browser, { title: 1 })
      return send(browser, 'POST', url, { payload, ...(csrf && { headers }) })
    }
    expect((await wrong(stranger, '/things/-?first=0', false)).code).toBe('bad_csrf_token')
    expect((await wrong(stranger, '/things/-?first=0')).code).toBe('sign_in_required')
    service.clock.advance(FRESH_SIGN_IN + 1)
    expect((await wrong(user.browser, '/things/-?first=0')).code).toBe('permission_denied')
    expect((await wrong(operator.browser, '/things/-?first=0')).code).toBe('fresh_sign_in_required')
    const recent = await signedInBrowser(service)
    await setOperator(service.database.kysely, recent.account.id, new Date(service.clock.now()))
    expect((await wrong(recent.browser, '/things/-?first=0')).code).toBe('not_found')
    expect((await wrong(recent.browser, '/things/unknown?first=0')).code).toBe('not_found')
    expect((await wrong(recent.browser, '/things/known?first=0')).field).toBe('first')
    expect((await wrong(recent.browser, '/things/known?first=1')).field).toBe('title')
    expect(received).toEqual([])
  })
})

describe('the handler of a route', () => {
  it('receives the described fields, and responds with the documented status', async () => {
    const { browser, account } = operator
    const answer = await send(browser, 'POST', '/things/known?first=3', await withCsrf(browser))
    expect(answer.status).toBe(202)
    expect(JSON.parse(answer.body)).toEqual({ title: 'x', first: '3', owner: account.id, name: 'known' })
    const resource = { name: 'known', owner: account.id }
    const { id: accountId } = account
    expect(received).toEqual([
      {
        accountId,
        actor: accountId,
        params: { name: 'known' },
        resource,
        query: { first: 3 },
        body: { title: 'x' },
        network: '192.0.2.7',
      },
    ])
  })

  it('can require a session for some requests only', async () => {
    const stranger = openBrowser(service.fastify)
    const { headers } = await withCsrf(stranger)
    expect((await send(stranger, 'PUT', '/perhaps', { headers })).status).toBe(202)
    const demanding = { headers: { ...headers, 'x-recent': '1' } }
    expect(await send(stranger, 'PUT', '/perhaps', demanding)).toMatchObject({ status: 401, code: 'sign_in_required' })
    expect(received).toHaveLength(1)
  })

  it('can require a recent sign-in for some requests only', async () => {
    service.clock.advance(FRESH_SIGN_IN + 1)
    expect((await send(user.browser, 'GET', '/own')).status).toBe(202)
    const demanding = { headers: { 'x-recent': '1' } }
    expect((await send(user.browser, 'GET', '/own', demanding)).code).toBe('fresh_sign_in_required')
    expect(received).toEqual([{ accountId: user.account.id }])
  })
})

it('does not handle HEAD if the description excludes it', async () => {
  expect((await send(user.browser, 'HEAD', '/own')).status).toBe(404)
})

describe('the registration rejects a description', () => {
  const add = (description: RouteDescription) => () => route(Fastify(), service.services, description, () => undefined)
  const plain = { ...texts, method: 'GET', who: 'account' } as const

  it('if the description does not name a parameter of the path', () => {
    expect(add({ ...plain, path: '/a/:b' })).toThrow('GET /a/:b: path and params differ in b')
  })

  it('if the description names a parameter that the path does not have', () => {
    expect(add({ ...plain, path: '/a', params: { c: 'of c' } })).toThrow('GET /a: path and params differ in c')
  })

  it('in types if it has no caller, or if a route for anyone requires a recent sign-in', () => {
    const without = { ...texts, method: 'GET', path: '/a' } as const
    // @ts-expect-error who is required
    expect(() => route(Fastify(), service.services, without, () => undefined)).toBeTypeOf('function')
    const anyone = { ...without, who: 'anyone', recentSignIn: true } as const
    // @ts-expect-error a recent sign-in needs a session
    expect(() => route(Fastify(), service.services, anyone, () => undefined)).toBeTypeOf('function')
    const own = { ...without, who: 'anyone' } as const
    const thing = { ...own, path: '/a/:name', params: change.params, resource: findThing } as const
    // @ts-expect-error the resource of an account needs a session
    expect(() => route(Fastify(), service.services, thing, () => 1)).toBeTypeOf('function')
    const page = { ...own, path: '/a/:name', params: change.params, readQuery: readPage } as const
    // @ts-expect-error the path has no parameter size
    expect(() => route(Fastify(), service.services, page, () => 1)).toBeTypeOf('function')
    // @ts-expect-error a route for anyone has no account
    expect(() => route(Fastify(), service.services, own, ({ accountId }) => accountId)).toBeTypeOf('function')
  })
})
