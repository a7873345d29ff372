import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runInThisContext } from 'node:vm'
import { UnauthorizedError, type OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createServices } from '../../src/services.ts'
import { OWNED_SPACE, startWorld } from '../support/fixture.ts'
import { callTool, rpc, sendRpc } from '../support/mcp.ts'
import type { Browser } from '../support/oauth-browser.ts'
import { requestIdOf, type SignedIn, signedInBrowser } from '../support/oauth-flow.ts'
import { freePort, type SignInService } from '../support/oauth-service.ts'
import { codeWithVerifier, postAsPublic, type PublicApp, publicApp, publicTokens } from '../support/public-client.ts'

const port = await freePort()
const issuer = `http://localhost:${port}`
const world = await startWorld({
  port,
  settings: { QUESTBOARD_PUBLIC_URL: issuer, QUESTBOARD_SECRET: 'a secret of at least thirty-two characters' },
})
const services = createServices(world.deps)
const service: SignInService = {
  ...{ fastify: world.app.fastify, routes: [], routeTable: [], services, issuer },
  ...{ database: world.database, clock: world.clock, close: () => world.stop() },
}
afterAll(() => world.stop())

const resource = `${issuer}/mcp`
const CALLBACK = 'http://127.0.0.1/callback'
let user: SignedIn
let app: PublicApp
beforeAll(async () => {
  user = await signedInBrowser(service)
  app = await publicApp(service, { scopes: ['mcp', 'openid', 'EVMAddress'], redirectUris: [CALLBACK] })
})

const getSpace = rpc('tools/call', { name: 'get_space', arguments: { spaceId: 40 } })
const asUser = (token: string, body = getSpace) =>
  sendRpc(issuer, { headers: { authorization: `Bearer ${token}` }, body })
const tokenFor = async (parameters: Record<string, string>) =>
  (await publicTokens(service, user.browser, app, { redirect_uri: CALLBACK, ...parameters })).access_token

/** The members that docs/mcp.md adds to a provider. */
const members = /```ts\n([\s\S]*?)```/.exec(
  readFileSync(join(import.meta.dirname, '../../../docs/mcp.md'), 'utf8'),
)?.[1]
const WithState = runInThisContext(`(class { ${members} })`) as new () => { sent: string; state: () => string }

/** What a client keeps during its sign-in. */
function providerOf(clientId: string, redirectUrl: string) {
  const kept: { url?: URL; tokens?: OAuthTokens; verifier?: string } = {}
  const stateful = new WithState()
  const provider: OAuthClientProvider = {
    redirectUrl,
    clientMetadata: { redirect_uris: [redirectUrl], token_endpoint_auth_method: 'none' },
    state: stateful.state,
    clientInformation: () => ({ client_id: clientId }),
    tokens: () => kept.tokens,
    saveTokens: (tokens) => void (kept.tokens = tokens),
    redirectToAuthorization: (url) => void (kept.url = url),
    saveCodeVerifier: (verifier) => void (kept.verifier = verifier),
    codeVerifier: () => kept.verifier ?? '',
  }
  return { kept, provider, stateful }
}

async function allowAt(browser: Browser, url: URL): Promise<URL> {
  const started = await browser.get(url.pathname + url.search)
  const decided = await browser.call('POST', `/api/authorizations/${requestIdOf(started)}`, { decision: 'allow' })
  return new URL(decided.json<{ redirect: string }>().redirect)
}

describe("the SDK's client", () => {
  test('finds the authorization server, signs in, calls a tool, and refreshes', async () => {
    const { kept, provider, stateful } = providerOf(app.clientId, 'http://127.0.0.1:53123/callback')
    const open = () => new StreamableHTTPClientTransport(new URL(resource), { authProvider: provider })
    const client = new Client({ name: 'test', version: '1' })
    const first = open()
    await expect(client.connect(first)).rejects.toThrow(UnauthorizedError)
    expect(Object.fromEntries(kept.url?.searchParams ?? [])).toMatchObject({
      resource,
      scope: 'mcp',
      code_challenge_method: 'S256',
      client_id: app.clientId,
    })
    const back = await allowAt(user.browser, kept.url as URL)
    expect(stateful.sent).toMatch(/^[\da-f-]{36}$/)
    expect(back.searchParams.get('state')).toBe(stateful.sent)
    await first.finishAuth(back.searchParams.get('code') as string)
    expect(kept.tokens).toMatchObject({ scope: 'mcp', token_type: 'Bearer' })

    await client.connect(open())
    expect((await callTool(client, 'get_space', { spaceId: 40 })).structuredContent).toMatchObject({
      space: { name: 'Aurora Guild' },
    })
    const before = kept.tokens?.access_token
    kept.tokens = { ...(kept.tokens as OAuthTokens), access_token: 'qbu_ended' }
    expect((await callTool(client, 'get_space', { spaceId: 40 })).isError).toBeUndefined()
    expect(kept.tokens.access_token).not.toBe(before)
    await client.close()
  })
})

describe('discovery', () => {
  test.each(['/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/mcp'])(
    '%s describes the resource for pages too',
    async (path) => {
      const response = await fetch(issuer + path)
      expect(response.headers.get('access-control-allow-origin')).toBe('*')
      expect(await response.json()).toEqual({
        resource,
        resource_name: 'Questboard',
        resource_documentation: `${issuer}/docs/mcp`,
        authorization_servers: [issuer],
        scopes_supported: ['mcp'],
        bearer_methods_supported: ['header'],
      })
    },
  )

  test('a challenge names the metadata, the scope, and the error of a token', async () => {
    const metadata = `resource_metadata="${issuer}/.well-known/oauth-protected-resource/mcp", scope="mcp"`
    const none = await sendRpc(issuer, { body: getSpace })
    expect(none.headers.get('www-authenticate')).toBe(`Bearer ${metadata}`)
    const wrong = await asUser('qbu_wrong')
    expect([wrong.status, wrong.headers.get('www-authenticate')]).toEqual([
      401,
      `Bearer error="invalid_token", ${metadata}`,
    ])
  })
})

describe('a token for the resource', () => {
  test('reads what a server token of the account reads, with the limits of the plan free', async () => {
    const token = await tokenFor({ scope: 'mcp', resource })
    const answer = await asUser(token)
    expect([answer.status, answer.body.result?.isError]).toEqual([200, undefined])
    expect(answer.headers.get('ratelimit-policy')).toContain(`"daily";q=${world.deps.config.freePlan.perDay};`)
    const quest = rpc('tools/call', { name: 'get_quest', arguments: { id: 'GCprivate1' } })
    expect((await asUser(token, quest)).body.result?.isError).toBe(true)
    await world.database.query('UPDATE spaces SET owner_account_id = $1 WHERE space_id = $2', [
      user.account.id,
      OWNED_SPACE,
    ])
    expect((await asUser(token, quest)).body.result?.structuredContent).toMatchObject({ quest: { id: 'GCprivate1' } })
  })

  test('shares the limits with other tokens of the account', async () => {
    const left = async (token: string) =>
      Number(/"daily";r=(\d+)/.exec((await asUser(token)).headers.get('ratelimit') ?? '')?.[1])
    const [first, second] = [await tokenFor({ scope: 'mcp', resource }), await tokenFor({ scope: 'mcp', resource })]
    const before = await left(first)
    expect(await left(second)).toBe(before - 1)
  })

  test('has the scope without a request for it, and needs the resource with it', async () => {
    expect((await asUser(await tokenFor({ scope: '', resource }))).status).toBe(200)
    const started = await user.browser.get(
      `/oauth?${new URLSearchParams({ client_id: app.clientId, redirect_uri: CALLBACK, state: 'a', scope: 'mcp', code_challenge: 'x'.repeat(43), code_challenge_method: 'S256' }).toString()}`,
    )
    expect(new URL(String(started.headers.location)).searchParams.get('error')).toBe('invalid_target')
  })

  test('gets the refusal of an unknown token from the endpoints of the user data', async () => {
    const token = await tokenFor({ scope: 'mcp openid EVMAddress', resource })
    for (const path of ['/oauth/api/2/token', '/oauth/api/2/user', '/oauth/userinfo']) {
      const response = await fetch(issuer + path, { headers: { authorization: `Bearer ${token}` } })
      expect([path, response.status, await response.json()]).toEqual([
        path,
        401,
        { error: 'invalid_token', error_description: 'The access token is not valid, expired or revoked' },
      ])
    }
    const query = await fetch(`${issuer}/query`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: '{"query":"{ __typename }"}',
    })
    expect(query.status).toBe(401)
  })

  test('ends with its revocation', async () => {
    const token = await tokenFor({ scope: 'mcp', resource })
    expect((await asUser(token)).status).toBe(200)
    await postAsPublic(service, app, { token }, { url: '/oauth/revoke' })
    expect((await asUser(token)).status).toBe(401)
  })
})

describe('a token for something else', () => {
  test('without a resource gets 401', async () => {
    const answer = await asUser(await tokenFor({ scope: 'openid' }))
    expect([answer.status, answer.body.error?.data?.code]).toEqual([401, 'INVALID_TOKEN'])
  })

  test('with the resource and without the scope gets 403 and the scope that it needs', async () => {
    const answer = await asUser(await tokenFor({ scope: 'openid', resource }))
    expect([answer.status, answer.body.error?.message]).toEqual([
      403,
      'The access token does not have the scope that this endpoint needs',
    ])
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer error="insufficient_scope", .*scope="mcp"$/)
  })
})

describe('a resource that does not exist', () => {
  test.each(['https://other.example/mcp', `${issuer}`, `${issuer}/mcp/`, `${issuer}/mcp#a`, 'mcp'])(
    '%s gets invalid_target at both endpoints',
    async (other) => {
      const started = await user.browser.get(
        `/oauth?${new URLSearchParams({ client_id: app.clientId, redirect_uri: CALLBACK, state: 'a', resource: other }).toString()}`,
      )
      expect(new URL(String(started.headers.location)).searchParams.get('error')).toBe('invalid_target')
      const redeemed = await postAsPublic(service, app, { code: 'x', resource: other })
      expect([redeemed.statusCode, redeemed.json()]).toEqual([
        400,
        expect.objectContaining({ error: 'invalid_target' }),
      ])
    },
  )

  test('a code and a refresh token without the resource cannot get it later', async () => {
    const plain = { scope: 'openid', redirect_uri: CALLBACK }
    const code = await codeWithVerifier(user.browser, app, plain)
    const redeemed = await postAsPublic(service, app, { ...code, resource })
    expect(redeemed.json()).toMatchObject({ error: 'invalid_target' })
    const { refresh_token } = await publicTokens(service, user.browser, app, plain)
    const refreshed = await postAsPublic(service, app, {
      grant_type: 'refresh_token',
      refresh_token: refresh_token,
      resource,
    })
    expect(refreshed.json()).toMatchObject({ error: 'invalid_target' })
  })
})
