import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { decideApp, requireApp } from '../../../src/oauth/apps.ts'
import { clientIdOfUrl } from '../../../src/oauth/client-metadata/client-url.ts'
import { OauthError } from '../../../src/oauth/errors.ts'
import { requireLiveToken } from '../../../src/oauth/steps/require-live-token.ts'
import { CLIENT_METADATA_LIFETIME } from '../../../src/lifetimes.ts'
import { metadataByNetwork, metadataOfHost } from '../../../src/rate-limits/limits.ts'
import {
  CALLBACK,
  type ClientHost,
  consentUrlOf,
  type HostedAnswer,
  MCP_RESOURCE,
  publishedClient,
  startClientHost,
} from '../../support/client-host.ts'
import {
  authorizeUrl,
  postForm,
  requestIdOf,
  signedInBrowser,
  type SignedIn,
  TOKEN_URL,
} from '../../support/oauth-flow.ts'
import { openBrowser } from '../../support/oauth-browser.ts'
import { type SignInService, startSignIn } from '../../support/oauth-service.ts'
import { codeWithVerifier, postAsPublic, publicTokens } from '../../support/public-client.ts'

let host: ClientHost
let service: SignInService
let user: SignedIn
beforeAll(async () => {
  host = await startClientHost(CALLBACK)
  service = await startSignIn({ settings: host.settings })
  user = await signedInBrowser(service)
})
beforeEach(async () => {
  service.clock.advance(61_000)
  await service.database.query('DELETE FROM apps')
  host.requests.length = 0
})
afterAll(() => Promise.all([service.close(), host.close()]))

const ask = (clientId: string, extra?: Record<string, string | undefined>) =>
  user.browser.get(consentUrlOf(clientId, extra))
const clients = () => service.database.query<{ client_id: string }>('SELECT client_id FROM apps')
const tokensOf = (clientId: string) =>
  publicTokens(service, user.browser, publishedClient(clientId), { scope: 'mcp', resource: MCP_RESOURCE })
const live = (accessToken: string) => requireLiveToken(service.services, accessToken, {}, MCP_RESOURCE)
const refreshed = async (clientId: string, refresh_token: string | undefined) =>
  (await postAsPublic(service, publishedClient(clientId), { grant_type: 'refresh_token', refresh_token })).statusCode

describe('a URL that the service does not fetch', () => {
  test.each([
    [
      'of a host that no operator allowed',
      () => 'https://chat.example.net/client.json',
      'allows no clients of this host',
    ],
    ['of another port', () => 'https://localhost:1/client.json', 'allows no clients of this host'],
    ['of a private address', () => 'https://169.254.169.254/latest/meta-data', 'allows no clients of this host'],
    ['of a look-alike host', () => 'https://localhost.evil.example/c', 'allows no clients of this host'],
    ['without TLS', () => `http://${host.host}/client.json`, 'it must be an https URL'],
    ['without a path', () => host.url('/'), 'it must have a path'],
    ['with a fragment', () => host.url('/client.json#x'), 'it must not have a fragment'],
    ['with user info', () => `https://a:b@${host.host}/client.json`, 'it must not have userinfo'],
    ['with a dot segment', () => host.url('/a/../client.json'), 'it must not have dot segments'],
    ['with a hidden separator', () => host.url('/a%2f..%2fclient.json'), 'it must not hide separators'],
    ['in another spelling', () => host.url('/client.json').replace('https', 'HTTPS'), 'it must be an https URL'],
    ['that is too long', () => host.url(`/${'a'.repeat(600)}`), 'it must have at most 500 characters'],
  ])('%s', async (_, url, reason) => {
    const answer = await ask(url())
    expect(answer.body).toContain(reason)
    expect([answer.statusCode, answer.headers.location]).toEqual([400, undefined])
    expect(host.requests).toEqual([])
    expect(await clients()).toEqual([])
  })

  test('if the operator allows no host', async () => {
    const off = await startSignIn({ database: service.database })
    const document = (await off.fastify.inject('/.well-known/oauth-authorization-server')).json<object>()
    expect(document).toMatchObject({ client_id_metadata_document_supported: false })
    const answer = await off.fastify.inject(authorizeUrl(publishedClient(host.publish('/off.json'))))
    expect(answer.statusCode).toBe(400)
    expect(host.requests).toEqual([])
    await off.close()
  })

  test.each([
    ['a name of a private address', () => host.host],
    ['a private address', () => '169.254.169.254'],
  ])('if an allowed host is %s that the operator did not open to the service', async (_, allowed) => {
    const settings = { QUESTBOARD_CLIENT_HOSTS: allowed() }
    const guarded = await startSignIn({ database: service.database, settings })
    host.publish('/client.json')
    const answer = await guarded.fastify.inject(authorizeUrl(publishedClient(`https://${allowed()}/client.json`)))
    expect(answer.statusCode).toBe(400)
    expect(answer.body).toContain('on the public Internet')
    expect(host.requests).toEqual([])
    expect(await clients()).toEqual([])
    await guarded.close()
  })
})

describe('a document that the service refuses', () => {
  test.each<[string, Record<string, unknown>, HostedAnswer, string]>([
    [
      'of another client',
      { client_id: 'https://localhost/other.json' },
      {},
      'client_id must be the URL of the document',
    ],
    [
      'with a trailing slash in its client_id',
      { client_id: 'https://localhost/client.json/' },
      {},
      'client_id must be the URL of the document',
    ],
    ['with a secret', { client_secret: 'qbx_secret' }, {}, 'client_secret: '],
    ['with the end of a secret', { client_secret_expires_at: 0 }, {}, 'client_secret_expires_at: '],
    [
      'with a shared-secret method',
      { token_endpoint_auth_method: 'client_secret_post' },
      {},
      'token_endpoint_auth_method: ',
    ],
    ['without a method', { token_endpoint_auth_method: undefined }, {}, 'token_endpoint_auth_method: '],
    ['without redirect URIs', { redirect_uris: [] }, {}, 'redirect_uris: '],
    [
      'with an unsafe redirect URI',
      { redirect_uris: [CALLBACK, 'javascript:alert(1)'] },
      {},
      'redirect_uris.1 must use https',
    ],
    [
      'with a plain http redirect URI',
      { redirect_uris: ['http://chat.example.com/'] },
      {},
      'redirect_uris.0 must use https',
    ],
    ['for another grant', { grant_types: ['client_credentials'] }, {}, 'grant_types must include'],
    ['for another response', { response_types: ['token'] }, {}, 'response_types must include'],
    ['that is not JSON', {}, { body: '<html>' }, 'the document: '],
    ['that is an array', {}, { body: '[]' }, 'the document: '],
    ['of another type', {}, { headers: { 'content-type': 'text/html' } }, 'its Content-Type must be application/json'],
    ['with an error status', {}, { status: 500 }, 'the host responded with HTTP status 500'],
    ['behind a redirect', {}, { status: 302, headers: { location: '/elsewhere.json' } }, 'redirects too many times'],
    ['above 5 kB', { padding: 'x'.repeat(6_000) }, {}, 'is larger than 5120 bytes'],
    [
      'above 5 kB without a declared length',
      {},
      { body: 'x'.repeat(6_000), endless: true },
      'is larger than 5120 bytes',
    ],
    [
      'in an encoding that was not requested',
      {},
      { headers: { 'content-encoding': 'gzip' } },
      'the content encoding gzip',
    ],
    ['that takes longer than 5 seconds', {}, { body: '{', endless: true }, 'did not respond in time'],
  ])('%s', async (_, changes, answer, reason) => {
    const response = await ask(host.publish('/client.json', changes, answer))
    expect([response.statusCode, response.headers.location]).toEqual([400, undefined])
    expect(response.body).toContain(reason)
    expect(host.requests).toEqual(['/client.json'])
    expect(await clients()).toEqual([])
  })

  test.each([
    ['that an app could not have', 'Ba\u202eknab'],
    ['that is missing', undefined],
  ])('the host replaces a name %s', async (_, client_name) => {
    const asked = await ask(host.publish('/name.json', { client_name }))
    const id = String(asked.headers.location).split('/').pop()
    expect((await user.browser.get(`/api/authorizations/${id}`)).json()).toMatchObject({
      app: { name: host.host, publisher: host.host },
    })
  })
})

describe('a client with a document', () => {
  test.each([
    ['another scope', { scope: 'EVMAddress' }, 'invalid_scope'],
    ['no resource', { resource: undefined }, 'invalid_target'],
    ['no PKCE', { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
  ])('gets nothing with %s', async (_, extra, error) => {
    const answer = await ask(host.publish('/limits.json'), extra)
    expect(new URL(String(answer.headers.location)).searchParams.get('error')).toBe(error)
  })

  test('does not exist under the id of its copy', async () => {
    const url = host.publish('/copy.json')
    const { refresh_token } = await tokensOf(url)
    expect((await ask(clientIdOfUrl(url))).statusCode).toBe(400)
    expect(await refreshed(clientIdOfUrl(url), refresh_token)).toBe(401)
    expect(await refreshed(url, refresh_token)).toBe(200)
  })

  test.each([
    ['that its document does not name', 'https://chat.example.com/other', 'is not registered'],
    ['at a host that no operator allowed', 'https://chat.example.net/callback', 'allows no clients that lead users'],
    [
      'at a host that looks like an allowed one',
      'https://chat.example.com.example.net/callback',
      'allows no clients that lead users',
    ],
    ['at another address of the device', 'http://127.0.0.2:8080/callback', 'is not registered'],
    ['at a path of localhost that its document does not name', 'http://localhost:8080/other', 'is not registered'],
    ['at a port of localhost that does not exist', 'http://localhost:99999/callback', 'is not registered'],
  ])('leads no user to a redirect URI %s', async (_, redirect_uri, reason) => {
    const foreign = ['https://chat.example.net/callback', 'https://chat.example.com.example.net/callback']
    const redirect_uris = [CALLBACK, 'http://localhost/callback', ...foreign]
    const answer = await ask(host.publish('/hosts.json', { redirect_uris }), { redirect_uri })
    expect([answer.statusCode, answer.headers.location]).toEqual([400, undefined])
    expect(answer.body).toContain(reason)
  })

  test.each([
    'http://localhost:53124/callback',
    'http://127.0.0.1:53124/callback',
    'http://[::1]:53124/callback',
    'com.example.chat:/callback',
  ])('returns to %s on the device, after a consent at each sign-in', async (redirectUri) => {
    const redirect_uris = ['localhost:3000', '127.0.0.1', '[::1]'].map((name) => `http://${name}/callback`)
    const url = host.publish('/device.json', { redirect_uris: [...redirect_uris, 'com.example.chat:/callback'] })
    const app = { ...publishedClient(url), redirectUri }
    for (const redirect_uri of [redirectUri, redirectUri.replace('53124', '53125')]) {
      expect((await ask(url, { redirect_uri })).headers.location).toMatch(/\/authorize\//)
      expect(
        (await publicTokens(service, user.browser, app, { scope: 'mcp', resource: MCP_RESOURCE })).access_token,
      ).toMatch(/^qbu_/)
    }
  })

  test('cannot redeem a code of another client, or with a secret', async () => {
    const [own, other] = [host.publish('/own.json'), host.publish('/other.json')]
    const code = await codeWithVerifier(user.browser, publishedClient(own), { scope: 'mcp', resource: MCP_RESOURCE })
    expect((await postAsPublic(service, publishedClient(other), code)).statusCode).toBe(401)
    await ask(other)
    const body = { grant_type: 'authorization_code', ...code, resource: MCP_RESOURCE }
    expect((await postAsPublic(service, publishedClient(other), body)).json()).toMatchObject({ error: 'invalid_grant' })
    const secret = { ...body, client_id: own, client_secret: 'x' }
    expect((await postForm(service, TOKEN_URL, secret)).json()).toMatchObject({ error: 'invalid_client' })
    expect((await postAsPublic(service, publishedClient(own), body)).statusCode).toBe(200)
  })

  test('the service fetches the document again after ten minutes, so a removed redirect URI stops working', async () => {
    const url = host.publish('/again.json')
    await ask(url)
    await ask(url)
    expect(host.requests).toHaveLength(1)
    host.publish('/again.json', { redirect_uris: ['https://chat.example.com/new'] })
    service.clock.advance(CLIENT_METADATA_LIFETIME + 1)
    expect((await ask(url)).statusCode).toBe(400)
    expect(host.requests).toHaveLength(2)
  })

  test('has a new revision only after a change of its document', async () => {
    const url = host.publish('/revision.json')
    const revisionAfter = async (changes: Record<string, unknown>) => {
      host.publish('/revision.json', changes)
      service.clock.advance(CLIENT_METADATA_LIFETIME + 1)
      await ask(url)
      return (await requireApp(service.services, clientIdOfUrl(url))).revision
    }
    const first = await revisionAfter({})
    expect(await revisionAfter({ unknown: 'member' })).toBe(first)
    expect(await revisionAfter({ client_name: 'Chat 2' })).toBe(first + 1)
    expect(await revisionAfter({ redirect_uris: [CALLBACK, 'http://localhost/'] })).toBe(first + 2)
  })

  test('whose document is gone gets no new sign-in, and its users keep their tokens', async () => {
    const url = host.publish('/gone.json')
    const { refresh_token } = await tokensOf(url)
    host.publish('/gone.json', {}, { status: 404 })
    service.clock.advance(CLIENT_METADATA_LIFETIME + 1)
    expect((await ask(url)).statusCode).toBe(400)
    expect(await refreshed(url, refresh_token)).toBe(200)
  })

  test('that an operator suspended gets no code, no token and no request', async () => {
    const url = host.publish('/suspended.json')
    const { access_token, refresh_token } = await tokensOf(url)
    await live(access_token)
    await decideApp(service.services, clientIdOfUrl(url), 'suspend')
    await expect(live(access_token)).rejects.toThrow(OauthError)
    service.clock.advance(CLIENT_METADATA_LIFETIME + 1)
    host.requests.length = 0
    expect((await ask(url)).statusCode).toBe(400)
    expect(await refreshed(url, refresh_token)).toBe(401)
    expect(host.requests).toEqual([])
  })

  test('of a host that is no longer allowed gets no code, and its tokens end', async () => {
    const url = host.publish('/withdrawn.json')
    const { access_token, refresh_token } = await tokensOf(url)
    const id = requestIdOf(await ask(url, { prompt: 'consent' }))
    const { clientHosts } = service.services.config
    const allowed = clientHosts.splice(0)
    expect((await ask(url)).statusCode).toBe(400)
    expect((await user.browser.call('POST', `/api/authorizations/${id}`, { decision: 'allow' })).statusCode).toBe(404)
    expect(await refreshed(url, refresh_token)).toBe(401)
    await expect(live(access_token)).rejects.toThrow(OauthError)
    clientHosts.push(...allowed)
    await live(access_token)
    expect(await refreshed(url, refresh_token)).toBe(200)
  })

  test('whose redirect host is no longer allowed gets no code', async () => {
    const url = host.publish('/redirect-host.json')
    const id = requestIdOf(await ask(url, { prompt: 'consent' }))
    const { clientHosts } = service.services.config
    const allowed = clientHosts.splice(1)
    expect((await ask(url)).statusCode).toBe(400)
    expect((await user.browser.call('POST', `/api/authorizations/${id}`, { decision: 'allow' })).statusCode).toBe(404)
    clientHosts.push(...allowed)
  })
})

test('a network cannot make the service fetch documents without end', async () => {
  const statuses = []
  for (let n = 0; n <= metadataByNetwork.max; n++) statuses.push((await ask(host.url(`/missing-${n}`))).statusCode)
  expect(statuses.at(-1)).toBe(429)
  expect(host.requests).toHaveLength(metadataByNetwork.max)
})

test('networks together cannot make the service fetch unknown documents without end, nor lock known clients out', async () => {
  const known = host.publish('/known.json')
  await ask(known)
  service.clock.advance(CLIENT_METADATA_LIFETIME + 1)
  host.requests.length = 0
  const statuses = []
  for (let n = 0; n <= metadataOfHost.max; n++) {
    const stranger = openBrowser(service.fastify, `198.51.100.${n}`)
    statuses.push((await stranger.get(authorizeUrl(publishedClient(host.url(`/unknown-${n}`))))).statusCode)
  }
  expect(statuses.at(-1)).toBe(429)
  expect(host.requests).toHaveLength(metadataOfHost.max)
  expect((await ask(known)).statusCode).toBe(303)
})
