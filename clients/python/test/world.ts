import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { CREDENTIAL, HOLDER, MEMBERS, QUESTS, STARBOARD, startCommunity, USERS } from '../../../client/test/arrange.ts'
import { startSpecifiedServer } from '../../../client/test/specified-server.ts'
import { requireApp } from '../../../server/src/oauth/apps.ts'
import { createLogoutToken } from '../../../server/src/oauth/back-channel/logout-token.ts'
import { signJwt } from '../../../server/src/oauth/sign-jwt.ts'
import type { Services } from '../../../server/src/services.ts'
import { signatures } from '../../../server/src/webhooks/signatures.ts'
import { ingestToken } from '../../../server/test/ingest-api/arrange.ts'
import type { Browser } from '../../../server/test/support/oauth-browser.ts'
import { approvedApp, CALLBACK, requestIdOf, signedInBrowser } from '../../../server/test/support/oauth-flow.ts'
import { startListening } from '../../../server/test/support/oauth-service.ts'
import { publicApp } from '../../../server/test/support/public-client.ts'
import { tokenWithLimits } from '../../../server/test/support/personas.ts'

export interface World {
  /** What `tests/world.py` reads. */
  facts: Record<string, unknown>
  stop(): Promise<void>
}

/** The services that the Python tests use. */
export async function startWorld(): Promise<World> {
  const community = await startCommunity()
  const specified = await startSpecifiedServer()
  const signIn = await startListening()
  const { browser, account } = await signedInBrowser(signIn)
  const user = await startUser(browser)
  const after = ['https://app.example.com/bye']
  const expiring = await approvedApp(signIn, { expiringTokens: true, postLogoutRedirectUris: after })
  const withoutServer = await publicApp(signIn, { redirectUris: [CALLBACK] })
  const spent = await tokenWithLimits(community.deps, { perSecond: null, perDay: 1 })
  const { business, spacesOnly, revoked, expired } = community.personas
  return {
    facts: {
      url: community.url,
      tokens: { business, spacesOnly, revoked, expired, spent: spent.token },
      ingest_token: await ingestToken(community),
      starboard: STARBOARD,
      credential: CREDENTIAL,
      holder: HOLDER,
      members: MEMBERS,
      users: USERS,
      quests: QUESTS,
      specified_url: specified.url,
      issuer: signIn.issuer,
      decide_url: user.url,
      wallet: account.wallet.address.toLowerCase(),
      apps: {
        plain: await approvedApp(signIn),
        refused: await approvedApp(signIn),
        expiring,
        public: withoutServer,
      },
      deliveries: deliveries(),
      logout_tokens: await logoutTokens(signIn.services, expiring.clientId, account.id),
      signed_at: Date.now() / 1000,
    },
    async stop() {
      user.stop()
      await signIn.close()
      await specified.stop()
      await community.stop()
    },
  }
}

/** A server that decides sign-ins: a posted `{url, decision}` returns the URL of the redirect. */
async function startUser(browser: Browser): Promise<{ url: string; stop(): void }> {
  async function decide(url: string, decision: string): Promise<string> {
    const { pathname, search } = new URL(url)
    const started = await browser.get(pathname + search)
    if (String(started.headers.location).startsWith(CALLBACK)) return String(started.headers.location)
    const decided = await browser.call('POST', `/api/authorizations/${requestIdOf(started)}`, { decision })
    return decided.json<{ redirect: string }>().redirect
  }
  const server = createServer((request, response) => {
    void (async () => {
      const { url, decision } = (await json(request)) as { url: string; decision: string }
      response
        .setHeader('content-type', 'application/json')
        .end(JSON.stringify({ callback: await decide(url, decision) }))
    })()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, stop: () => void server.close() }
}

async function logoutTokens(services: Services, clientId: string, accountId: string): Promise<Record<string, string>> {
  const app = await requireApp(services, clientId)
  const now = Math.floor(Date.now() / 1000)
  const claims = {
    ...{ iss: services.site.issuer, aud: clientId, sub: accountId, sid: 'session', jti: 'once' },
    ...{ iat: now, exp: now + 120, events: { 'http://schemas.openid.net/event/backchannel-logout': {} } },
  }
  const wrong = (changed: object, type = 'logout+jwt') => signJwt(services, type, { ...claims, ...changed })
  return {
    session: await createLogoutToken(services, app, { accountId, sid: 'session' }),
    deleted: await createLogoutToken(services, app, { accountId: null, sid: 'session' }),
    of_another_type: await wrong({}, 'JWT'),
    for_another_app: await wrong({ aud: 'another' }),
    without_event: await wrong({ events: {} }),
    with_nonce: await wrong({ nonce: 'n' }),
    without_session: await wrong({ sub: undefined, sid: undefined }),
    without_id: await wrong({ jti: undefined }),
  }
}

/** Deliveries as the service signs them: with one secret, and with two while the secret is rotated. */
function deliveries(): object[] {
  const secrets = ['whsec_' + 'a'.repeat(32), 'whsec_' + 'b'.repeat(32)]
  const body = JSON.stringify({
    type: 'points.awarded',
    timestamp: '2027-01-15T08:00:00.000Z',
    data: { spaceId: 40, name: 'Zoë' },
  })
  const timestamp = 1_800_000_000
  const signed = (by: string[]) => ({
    'Webhook-Id': 'msg_1',
    'Webhook-Timestamp': String(timestamp),
    'Webhook-Signature': signatures(by, 'msg_1', timestamp, body),
  })
  return [
    { secrets: secrets.slice(0, 1), headers: lowerCase(signed(secrets.slice(0, 1))), body },
    { secrets: secrets.slice(1), headers: signed(secrets), body },
  ]
}

function lowerCase(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}
