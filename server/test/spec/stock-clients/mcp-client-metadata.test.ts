import { type OAuthClientProvider, UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { OAuthClientInformationMixed, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js'
import { afterAll, expect, test } from 'vitest'
import { createServices } from '../../../src/services.ts'
import { startClientHost } from '../../support/client-host.ts'
import { startWorld } from '../../support/fixture.ts'
import { callTool, rpc, sendRpc } from '../../support/mcp.ts'
import { requestIdOf, signedInBrowser } from '../../support/oauth-flow.ts'
import { freePort, type SignInService } from '../../support/oauth-service.ts'

const clientHost = await startClientHost('http://127.0.0.1/callback')
const port = await freePort()
const issuer = `http://localhost:${port}`
const world = await startWorld({
  port,
  settings: {
    QUESTBOARD_PUBLIC_URL: issuer,
    QUESTBOARD_SECRET: 'a secret of at least thirty-two characters',
    ...clientHost.settings,
  },
})
const services = createServices(world.deps)
const service: SignInService = {
  ...{ fastify: world.app.fastify, routes: [], routeTable: [], services, issuer },
  ...{ database: world.database, clock: world.clock, close: () => world.stop() },
}
afterAll(() => Promise.all([world.stop(), clientHost.close()]))

test("the SDK's client signs in by its metadata document, calls a tool, refreshes, and loses access on removal", async () => {
  const clientMetadataUrl = clientHost.publish('/chat/client.json')
  const kept: { url?: URL; tokens?: OAuthTokens; verifier?: string; client?: OAuthClientInformationMixed } = {}
  const provider: OAuthClientProvider = {
    redirectUrl: 'http://127.0.0.1:53124/callback',
    clientMetadataUrl,
    clientMetadata: { redirect_uris: ['http://127.0.0.1:53124/callback'], token_endpoint_auth_method: 'none' },
    state: () => 'state-of-the-client',
    clientInformation: () => kept.client,
    saveClientInformation: (client) => void (kept.client = client),
    tokens: () => kept.tokens,
    saveTokens: (tokens) => void (kept.tokens = tokens),
    redirectToAuthorization: (url) => void (kept.url = url),
    saveCodeVerifier: (verifier) => void (kept.verifier = verifier),
    codeVerifier: () => kept.verifier ?? '',
  }
  const open = () => new StreamableHTTPClientTransport(new URL(`${issuer}/mcp`), { authProvider: provider })
  const client = new Client({ name: 'test', version: '1' })
  const first = open()
  await expect(client.connect(first)).rejects.toThrow(UnauthorizedError)
  expect(kept.client).toMatchObject({ client_id: clientMetadataUrl })

  const user = await signedInBrowser(service)
  const url = kept.url as URL
  const id = requestIdOf(await user.browser.get(url.pathname + url.search))
  expect((await user.browser.get(`/api/authorizations/${id}`)).json()).toMatchObject({
    app: { name: 'Chat', publisher: clientHost.host, returnsTo: '127.0.0.1:53124' },
    scopes: [{ scope: 'mcp' }],
  })
  const decided = await user.browser.call('POST', `/api/authorizations/${id}`, { decision: 'allow' })
  const back = new URL(decided.json<{ redirect: string }>().redirect)
  await first.finishAuth(back.searchParams.get('code') as string)
  await client.connect(open())
  expect((await callTool(client, 'get_space', { spaceId: 40 })).structuredContent).toMatchObject({
    space: { name: 'Aurora Guild' },
  })
  const before = kept.tokens?.access_token
  kept.tokens = { ...(kept.tokens as OAuthTokens), access_token: 'qbu_ended' }
  expect((await callTool(client, 'get_space', { spaceId: 40 })).isError).toBeUndefined()
  expect(kept.tokens.access_token).not.toBe(before)
  await client.close()

  const { apps } = (await user.browser.get('/api/authorized-apps')).json<{
    apps: { clientId: string }[]
  }>()
  expect(apps).toMatchObject([{ name: 'Chat', publisher: clientHost.host }])
  expect((await user.browser.call('DELETE', `/api/authorized-apps/${apps[0]?.clientId}`)).statusCode).toBeLessThan(300)
  const headers = { authorization: `Bearer ${kept.tokens.access_token}` }
  const refused = await sendRpc(issuer, { headers, body: rpc('tools/list', {}) })
  expect(refused.status).toBe(401)
  expect(clientHost.requests).toEqual(['/chat/client.json'])
})
