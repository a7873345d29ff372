import { Validator } from '@seriousme/openapi-schema-validator'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ensurePlans } from '../../src/access/plans.ts'
import { setOperator } from '../../src/accounts/account.queries.ts'
import { paths } from '../../src/oauth/metadata.ts'
import { openBrowser } from '../support/oauth-browser.ts'
import {
  approvedApp,
  authorizeUrl,
  postForm,
  refreshTokens,
  requestIdOf,
  signedInBrowser,
  TOKEN_URL,
  tokenDetail,
  tokensFor,
  userData,
} from '../support/oauth-flow.ts'
import { type SignInService, startSignIn } from '../support/oauth-service.ts'

interface Document {
  openapi: string
  paths: Record<
    string,
    Record<string, { summary: string; security: object[]; parameters?: { name: string; in: string }[] }>
  >
}

let service: SignInService
let document: Document
beforeAll(async () => {
  service = await startSignIn({ checkAnswers: true })
  await ensurePlans(service.database, { freePlan: { perSecond: 10, perDay: 1000 } })
  document = (await service.fastify.inject('/api/openapi.json')).json<Document>()
})
afterAll(() => service.close())

/** Operations that the document omits: responses to preflights, and a link that leads to a page. */
const undocumented = /^OPTIONS |^GET \/s\/:slug\/me$/

test('serves a valid OpenAPI 3.1 document at /api/openapi.json', async () => {
  expect(document.openapi).toMatch(/^3\.1\./)
  const { valid, errors } = await new Validator().validate(structuredClone(document) as never)
  expect(errors ?? []).toEqual([])
  expect(valid).toBe(true)
})

test('describes exactly the existing routes', () => {
  const documented = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
  const wrongMethod = new Set(
    Object.values(paths).flatMap((path) => ['PUT', 'PATCH', 'DELETE'].map((m) => `${m} ${path}`)),
  )
  for (const path of [paths.token, paths.introspect, paths.revoke]) wrongMethod.add(`GET ${path}`)
  const existing = service.routeTable
    .map(({ method, path }) => `${method} ${path}`)
    .filter((route) => !undocumented.test(route) && !wrongMethod.has(route))
    .map((route) => route.replace(/:(\w+)/g, '{$1}'))
  expect(documented.toSorted()).toEqual(existing.toSorted())
})

test('requires and documents the CSRF token for every change', async () => {
  for (const [path, methods] of Object.entries(document.paths))
    for (const [method, { parameters = [] }] of Object.entries(methods)) {
      if (!path.startsWith('/api/') || method === 'get') continue
      expect(
        parameters.map(({ name }) => name),
        `${method} ${path}`,
      ).toContain('x-csrf-token')
      const url = path.replace(/\{\w+\}/g, 'x')
      const response = await service.fastify.inject({ method: method.toUpperCase() as 'POST', url, payload: {} })
      expect(response.statusCode, `${method} ${path}`).toBe(403)
      expect(response.json()).toMatchObject({
        error: { code: 'bad_csrf_token', request_id: expect.any(String) as string },
      })
    }
})

test('responds with 401 without a session to every call that needs one', async () => {
  const browser = openBrowser(service.fastify)
  for (const [path, methods] of Object.entries(document.paths))
    for (const [method, { security }] of Object.entries(methods)) {
      if (!security.some((scheme) => 'session' in scheme)) continue
      const url = path.replace(/\{\w+\}/g, 'x')
      const response =
        method === 'get' ? await browser.get(url) : await browser.call(method.toUpperCase() as 'POST', url, {})
      expect(response.statusCode, `${method} ${path}`).toBe(401)
      expect(response.json()).toMatchObject({ error: { code: 'sign_in_required' } })
    }
})

test('gives every refused parameter of a query a fault, which the pages translate', async () => {
  const { browser, account } = await signedInBrowser(service)
  await setOperator(service.database.kysely, account.id, new Date(service.clock.now()))
  const refused: string[] = []
  for (const [path, methods] of Object.entries(document.paths))
    for (const { name, in: place } of methods.get?.parameters ?? []) {
      if (place !== 'query' || !path.startsWith('/api/')) continue
      const url = `${path.replace(/\{kind\}/g, 'spaces').replace(/\{\w+\}/g, '1')}?${name}=${'%01'.repeat(400)}`
      const { error } = (await browser.get(url)).json<{ error?: { code: string; field?: string; fault?: unknown } }>()
      if (error?.code !== 'invalid_argument' || error.field === undefined) continue
      refused.push(name)
      expect(error, url).toHaveProperty('fault.code')
    }
  expect(refused.length).toBeGreaterThan(15)
})

// The service of this file throws if a response is not documented, so the test only sends the requests of a user, an
// owner, an operator and an app.
test('returns the documented responses', async () => {
  const { browser, account } = await signedInBrowser(service)
  const ok = async (response: Promise<{ statusCode: number; body: string }>) => {
    const { statusCode, body } = await response
    expect(statusCode, body).toBeLessThan(300)
  }
  const app = await approvedApp(service, { expiringTokens: true }, account.id)
  const id = requestIdOf(await browser.get(authorizeUrl(app, { scope: 'EVMAddress ServiceID Discord openid' })))
  await ok(browser.get(`/api/authorizations/${id}`))
  await ok(browser.call('POST', `/api/authorizations/${id}`, { decision: 'allow' }))
  const tokens = await tokensFor(service, browser, app, { scope: 'EVMAddress ServiceID Discord openid' })
  await ok(tokenDetail(service, tokens.access_token))
  await ok(userData(service, tokens.access_token))
  const headers = { authorization: `Bearer ${tokens.access_token}` }
  for (const method of ['GET', 'POST'] as const)
    await ok(service.fastify.inject({ method, url: '/oauth/userinfo', headers }))
  const credentials = { client_id: app.clientId, client_secret: app.secret }
  await ok(postForm(service, paths.introspect, { ...credentials, token: tokens.access_token }))
  await ok(refreshTokens(service, app, tokens.refresh_token as string))
  await ok(postForm(service, paths.revoke, { ...credentials, token: tokens.refresh_token }))
  expect((await postForm(service, TOKEN_URL, credentials)).statusCode).toBe(400)
  for (const url of [
    '/oauth/jwks',
    '/.well-known/openid-configuration',
    '/api/session',
    '/api/identity-kinds',
    '/api/identities',
    '/api/sessions',
    '/api/audit',
    '/api/apps',
    `/api/apps/${app.clientId}`,
    '/api/authorized-apps',
    '/api/tokens',
    '/api/usage',
  ])
    await ok(browser.get(url))
  const form = { name: 'Another', purpose: 'Tests', redirectUris: ['https://b.example/'], scopes: [] }
  const applied = await browser.call('POST', '/api/apps', form)
  const { clientId } = applied.json<{ clientId: string }>()
  await ok(browser.call('PATCH', `/api/apps/${clientId}`, { expiringTokens: true }))
  const shown = await browser.call('PUT', `/api/apps/${clientId}/logo`, { logo: null })
  const { revision } = shown.json<{ revision: number }>()
  await setOperator(service.database.kysely, account.id, new Date(service.clock.now()))
  await ok(browser.get('/api/operator/apps'))
  await ok(browser.get('/api/operator/audit'))
  await ok(browser.call('POST', `/api/operator/apps/${clientId}/approve`, { revision }))
  const secret = (await browser.call('POST', `/api/apps/${clientId}/secrets`)).json<{ secretId: string }>()
  await ok(browser.call('DELETE', `/api/apps/${clientId}/secrets/${secret.secretId}`))
  for (const owned of [clientId, app.clientId]) await ok(browser.call('DELETE', `/api/apps/${owned}`))
  const created = await browser.call('POST', '/api/tokens', { name: 'first' })
  const { tokenId } = created.json<{ tokenId: string }>()
  await ok(browser.call('POST', `/api/tokens/${tokenId}/regenerate`))
  await ok(browser.call('DELETE', `/api/tokens/${tokenId}`))
  await ok(browser.call('PATCH', '/api/account', { username: 'documented' }))
  await ok(browser.call('DELETE', '/api/session'))
})
