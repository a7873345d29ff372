import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider, { type Configuration } from 'oidc-provider'
import type { Target, TargetApp } from './target.ts'

const USER = 'the-user'
const MAX_REDIRECTS = 10

/** `oidc-provider` with its recommended settings: rotating refresh tokens, introspection, revocation, optional PKCE. */
export async function providerTarget(): Promise<Target & { close(): Promise<void> }> {
  const app = { clientId: 'the-app', secret: 'S'.repeat(43), redirectUri: 'https://app.example.com/callback' }
  const other = { clientId: 'the-other', secret: 'T'.repeat(43), redirectUri: 'https://other.example.com/callback' }
  let handle: (request: IncomingMessage, response: ServerResponse) => void = () => undefined
  const server = createServer((request, response) => handle(request, response))
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
  const issuer = `http://localhost:${(server.address() as AddressInfo).port}`
  const provider = new Provider(issuer, configuration(app, other))
  const callback = provider.callback()
  handle = (request, response) => {
    if (request.url?.startsWith('/interaction/')) void answerInteraction(provider, request, response)
    else void callback(request, response)
  }
  const cookies = new Map<string, string>()

  async function visit(url: URL, init: RequestInit, jar: Map<string, string>): Promise<Response> {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { ...(init.headers as Record<string, string>), ...(cookie !== '' && { cookie }) }
    const response = await fetch(url, { ...init, headers, redirect: 'manual' })
    for (const line of response.headers.getSetCookie()) {
      const pair = line.split(';')[0] ?? ''
      const [name, value] = [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]
      if (value === '' || /expires=Thu, 01 Jan 1970/i.test(line)) jar.delete(name)
      else jar.set(name, value)
    }
    return response
  }

  return {
    issuer,
    app,
    other,
    paths: { token: '/token', userInfo: '/me', introspect: '/token/introspection', revoke: '/token/revocation' },
    request: (path, init) => fetch(new URL(path, issuer), init),
    async authorize(query, { form, signedOut = false } = {}) {
      const jar = signedOut ? new Map<string, string>() : cookies
      const init =
        form === undefined
          ? {}
          : { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: form }
      let url = new URL(`/auth${query === '' ? '' : `?${query}`}`, issuer)
      let response = await visit(url, init, jar)
      for (let hop = 0; hop < MAX_REDIRECTS; hop++) {
        const location = response.headers.get('location')
        if (location === null) return { at: 'page', status: response.status }
        url = new URL(location, url)
        if (url.origin !== issuer) return { at: 'app', url }
        response = await visit(url, {}, jar)
      }
      throw new Error(`redirected without end, last to ${url.href}`)
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function configuration(app: TargetApp, other: TargetApp): Configuration {
  const client = ({ clientId, secret, redirectUri }: TargetApp) => ({
    client_id: clientId,
    client_secret: secret,
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code' as const],
  })
  return {
    clients: [
      { ...client(app), token_endpoint_auth_method: 'client_secret_post' },
      { ...client(other), token_endpoint_auth_method: 'client_secret_basic' },
    ],
    cookies: { keys: ['a key of the test'], long: { sameSite: 'none' } },
    enableHttpPostMethods: true,
    findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    features: {
      devInteractions: { enabled: false },
      introspection: { enabled: true },
      revocation: { enabled: true },
    },
    pkce: { required: () => false },
    scopes: ['openid', 'offline_access'],
    issueRefreshToken: () => true,
    rotateRefreshToken: true,
    ttl: { AccessToken: 86_400, AuthorizationCode: 600, RefreshToken: 86_400, Grant: 86_400, Session: 86_400 },
  }
}

/** Signs the user in and allows the request. */
async function answerInteraction(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { prompt, params, session, grantId } = await provider.interactionDetails(request, response)
  if (prompt.name === 'login')
    return provider.interactionFinished(
      request,
      response,
      { login: { accountId: USER } },
      { mergeWithLastSubmission: false },
    )
  const grant =
    (grantId === undefined ? undefined : await provider.Grant.find(grantId)) ??
    new provider.Grant({ accountId: session?.accountId ?? USER, clientId: String(params.client_id) })
  if (typeof params.scope === 'string') grant.addOIDCScope(params.scope)
  const consent = { grantId: await grant.save() }
  return provider.interactionFinished(request, response, { consent }, { mergeWithLastSubmission: true })
}
