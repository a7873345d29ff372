import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { clientIdOfUrl } from '../../src/oauth/client-metadata/client-url.ts'
import { requireApp } from '../../src/oauth/apps.ts'
import { CLIENT_METADATA_LIFETIME } from '../../src/lifetimes.ts'
import {
  CALLBACK,
  type ClientHost,
  consentUrlOf,
  MCP_RESOURCE,
  publishedClient,
  startClientHost,
} from '../support/client-host.ts'
import { signedInBrowser, type SignedIn, TOKEN_URL } from '../support/oauth-flow.ts'
import { type SignInService, startSignIn } from '../support/oauth-service.ts'
import { postAsPublic, publicApp, publicTokens } from '../support/public-client.ts'

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
  await service.database.query('DELETE FROM security_events')
  host.requests.length = 0
})
afterAll(() => Promise.all([service.close(), host.close()]))

const ask = (clientId: string) => user.browser.get(consentUrlOf(clientId))
const askLater = async (clientId: string) => {
  service.clock.advance(CLIENT_METADATA_LIFETIME + 1)
  return ask(clientId)
}
const appOf = (url: string) => requireApp(service.services, clientIdOfUrl(url))

describe('the audit log', () => {
  const entries = () =>
    service.database.query<{ event: string }>(
      'SELECT event, account_id, address, client_id, details FROM security_events',
    )
  const entry = (url: string, details: Record<string, string>) => ({
    ...{ event: 'app.changed', account_id: '00000000-0000-0000-0000-000000000000', address: '' },
    ...{ client_id: clientIdOfUrl(url), details: { url, ...details } },
  })

  test('has an entry of each changed field of a document, with the URL and both values', async () => {
    const url = host.publish('/client.json')
    await ask(url)
    host.publish('/client.json', { client_name: 'Chat 2' })
    await askLater(url)
    expect(await entries()).toEqual([entry(url, { name: 'Chat 2', nameBefore: 'Chat' })])
    await service.database.query('DELETE FROM security_events')
    host.publish('/client.json', { redirect_uris: [CALLBACK, 'http://localhost/'] })
    await askLater(url)
    const redirectUris = `${CALLBACK} http://localhost/`
    const changed = { name: 'Chat', nameBefore: 'Chat 2', redirectUris, redirectUrisBefore: CALLBACK }
    expect(await entries()).toEqual([entry(url, changed)])
  })

  test('has no entry of a document that is fetched again without a change', async () => {
    const url = host.publish('/client.json')
    await ask(url)
    host.publish('/client.json', { unknown: 'member' })
    await askLater(url)
    expect(host.requests).toHaveLength(2)
    expect(await entries()).toEqual([])
  })

  test('has the URL of the client in the entry of a consent', async () => {
    const url = host.publish('/client.json')
    await publicTokens(service, user.browser, publishedClient(url), { scope: 'mcp', resource: MCP_RESOURCE })
    expect(await entries()).toMatchObject([{ event: 'consent.granted', details: { scopes: 'mcp', url } }])
  })
})

describe('origins', () => {
  const urls = [TOKEN_URL, '/oauth/revoke']
  const HEADER = 'access-control-allow-origin'
  const redirect_uris = [CALLBACK, 'https://chat.example.net/callback', 'http://localhost:3000/callback']
  const answersTo = async (url: string, clientId: string, origin: string) => {
    const preflight = { origin, 'access-control-request-method': 'POST' }
    const asked = await service.fastify.inject({ method: 'OPTIONS', url, headers: preflight })
    const sent = { token: 'x', code: 'x' }
    const answer = await postAsPublic(service, publishedClient(clientId), sent, { url, headers: { origin } })
    return [asked.headers[HEADER], answer.headers[HEADER]]
  }

  test.each(urls)('%s accepts an allowed host and the device', async (url) => {
    const clientId = host.publish('/origins.json', { redirect_uris })
    await ask(clientId)
    for (const origin of ['https://chat.example.com', 'http://localhost:3000'])
      expect(await answersTo(url, clientId, origin)).toEqual([origin, origin])
  })

  test.each(urls)('%s rejects the host of a redirect URI that no operator allowed', async (url) => {
    const clientId = host.publish('/origins.json', { redirect_uris })
    await ask(clientId)
    expect(await answersTo(url, clientId, 'https://chat.example.net')).toEqual([undefined, undefined])
  })

  test.each(urls)('%s accepts every origin of a registered app', async (url) => {
    const { clientId } = await publicApp(service, { redirectUris: ['https://chat.example.net/callback'] })
    await ask(host.publish('/origins.json', { redirect_uris }))
    const origin = 'https://chat.example.net'
    expect(await answersTo(url, clientId, origin)).toEqual([origin, origin])
  })
})

describe('a slow fetch', () => {
  /** Starts a fetch of a document that the host holds until `release`. */
  async function slowFetch(url: string, client_name: string) {
    let release = () => {}
    const heldUntil = new Promise<void>((resolve) => (release = resolve))
    host.requests.length = 0
    host.publish('/slow.json', { client_name }, { heldUntil })
    const asked = ask(url)
    await expect.poll(() => host.requests).toHaveLength(1)
    service.clock.advance(1)
    return { asked, release }
  }

  test('does not replace the copy of a fetch that started later', async () => {
    const url = host.publish('/slow.json')
    await ask(url)
    service.clock.advance(CLIENT_METADATA_LIFETIME + 1)
    const { asked, release } = await slowFetch(url, 'Old')
    host.publish('/slow.json', { client_name: 'New' })
    await ask(url)
    release()
    expect((await asked).statusCode).toBe(303)
    expect(await appOf(url)).toMatchObject({ name: 'New', revision: 2 })
  })

  test('does not replace the first copy of a fetch that started later', async () => {
    const url = host.url('/slow.json')
    const { asked, release } = await slowFetch(url, 'Old')
    host.publish('/slow.json', { client_name: 'New' })
    await ask(url)
    release()
    expect((await asked).statusCode).toBe(303)
    expect(await appOf(url)).toMatchObject({ name: 'New', revision: 1 })
  })

  test('replaces the copy of a fetch that started earlier', async () => {
    const url = host.url('/slow.json')
    const early = await slowFetch(url, 'Old')
    const late = await slowFetch(url, 'New')
    early.release()
    await early.asked
    expect(await appOf(url)).toMatchObject({ name: 'Old' })
    late.release()
    await late.asked
    expect(await appOf(url)).toMatchObject({ name: 'New' })
  })
})
