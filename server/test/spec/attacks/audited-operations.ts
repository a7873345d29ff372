import { expect } from 'vitest'
import { setOperator } from '../../../src/accounts/account.queries.ts'
import { clientFailuresByApp } from '../../../src/rate-limit/rate-limit.ts'
import type { SecurityEvent } from '../../../src/audit/audit.ts'
import { decideApp, requireApp } from '../../../src/oauth/apps.ts'
import { importRecords } from '../../../src/ingest/import-records.ts'
import { setSource } from '../../../src/sync/set-source.ts'
import { ingestToken as issueIngestToken } from '../../ingest-api/arrange.ts'
import { challenge, prove } from '../../identity/wallet-proof.ts'
import type { Browser } from '../../support/oauth-browser.ts'
import {
  approvedApp,
  authorizeUrl,
  CALLBACK,
  codeFor,
  redeemCode,
  refreshTokens,
  requestIdOf,
  type SignedIn,
  signedInBrowser,
  type TestApp,
  TOKEN_URL,
  tokensFor,
} from '../../support/oauth-flow.ts'
import { testPasskey } from '../../support/oauth-passkey.ts'
import type { SignInService } from '../../support/oauth-service.ts'
import { testWallet } from '../../support/oauth-wallet.ts'
import type { TestService } from '../../support/service.ts'

/** A request of the operation that is audited. */
export interface Sent {
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  headers?: Record<string, string>
  body?: string
}

export interface Operation {
  /** What its entries are called. */
  events: SecurityEvent[]
  /** Does all but the last request. */
  prepare(): Promise<Sent>
  /** The client reads this before it disconnects: work that ends with its client is in its last step then. */
  readsUntil?: string
  /** Whether the request took effect. A request whose client leaves before it is admitted changes nothing. */
  isDone?(): Promise<boolean>
}

/** What the operations are done with. */
export interface AuditedWorld {
  service: TestService
  services: SignInService
  /** Of a list of holders. */
  sourceUrl: string
}

/** Every audited operation that a client can request, on a service with space 40 and credential 501. */
export function auditedOperations(world: AuditedWorld): Operation[] {
  /** For names that are there once. */
  let counter = 0
  let deletedSpace = 0

  const signedIn = () => signedInBrowser(world.services)

  async function api(browser: Browser, method: Sent['method'], path: string, body?: unknown): Promise<Sent> {
    const csrf = await browser.csrfToken()
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const json = body !== undefined && { 'content-type': 'application/json' }
    const headers = { cookie, 'x-csrf-token': csrf, ...json }
    return { method, path, headers, ...(body !== undefined && { body: JSON.stringify(body) }) }
  }

  function form(path: string, app: TestApp, parameters: Record<string, string>): Sent {
    const all = { client_id: app.clientId, client_secret: app.secret, ...parameters }
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    return { method: 'POST', path, headers, body: new URLSearchParams(all).toString() }
  }

  async function operator(): Promise<SignedIn> {
    const someone = await signedIn()
    await setOperator(world.service.database.kysely, someone.account.id, new Date(world.service.clock.now()))
    return someone
  }

  /** A call with a session. */
  const own = (
    event: SecurityEvent,
    method: Sent['method'],
    path: string,
    body?: unknown,
    who: () => Promise<SignedIn> = signedIn,
  ): Operation => about(event, method, async () => path, body, who)

  /** A call about something that was made before. A body may be different each time. */
  const about = (
    event: SecurityEvent,
    method: Sent['method'],
    make: (someone: SignedIn) => Promise<string>,
    body?: unknown,
    who: () => Promise<SignedIn> = signedIn,
  ): Operation => ({
    events: [event],
    async prepare() {
      const someone = await who()
      const path = await make(someone)
      return api(someone.browser, method, path, typeof body === 'function' ? (body as () => unknown)() : body)
    },
  })

  const made = async ({ browser }: SignedIn, path: string, body: object, id: string) => {
    const response = await browser.call('POST', path, body)
    expect(response.statusCode, response.body).toBe(201)
    return `${path}/${response.json<Record<string, string>>()[id]}`
  }
  const token = (someone: SignedIn) => made(someone, '/api/tokens', { name: 'T' }, 'tokenId')
  const ingestForm = { name: 'I', spaces: [40] }
  const ingestToken = (someone: SignedIn) => made(someone, '/api/ingest-tokens', ingestForm, 'tokenId')
  const hook = { url: 'https://hooks.internal/x', events: ['points.awarded'], spaceIds: [40] }
  const webhook = (someone: SignedIn) => made(someone, '/api/webhooks', hook, 'id')
  const application = { name: 'App', purpose: 'Tests', redirectUris: [CALLBACK], scopes: ['EVMAddress'] }
  const limits = { perSecond: 1, perDay: 1, open: false }
  const pendingApp = (someone: SignedIn) => made(someone, '/api/apps', application, 'clientId')
  const ownApp = async ({ account }: SignedIn) => {
    const app = await approvedApp(world.services, { expiringTokens: true }, account.id)
    return `/api/apps/${app.clientId}`
  }

  /** A decision of an operator about an app of another account. */
  const decision = (
    event: SecurityEvent,
    name: string,
    arrange: (clientId: string, owner: SignedIn) => Promise<unknown>,
  ): Operation => ({
    events: [event],
    async prepare() {
      const owner = await signedIn()
      const clientId = (await pendingApp(owner)).split('/').at(-1) as string
      await arrange(clientId, owner)
      const { revision } = await requireApp(world.services.services, clientId)
      return api((await operator()).browser, 'POST', `/api/operator/apps/${clientId}/${name}`, { revision })
    },
  })
  const approve = async (clientId: string) =>
    decideApp(world.services.services, clientId, 'approve', await requireApp(world.services.services, clientId))
  const propose = async (clientId: string, owner: SignedIn) => {
    await approve(clientId)
    const redirectUris = [CALLBACK, 'https://app.example.com/other']
    expect((await owner.browser.call('PATCH', `/api/apps/${clientId}`, { redirectUris })).statusCode).toBe(200)
  }

  async function linkPasskey({ browser }: SignedIn): Promise<string> {
    const asked = { kind: 'ServiceID', purpose: 'link' }
    const { id, webauthn } = (await browser.call('POST', '/api/challenges', asked)).json<{
      id: string
      webauthn: { creation: { challenge: string } }
    }>()
    const passkey = testPasskey({ origin: 'http://localhost:4000', rpId: 'localhost' })
    const proof = await browser.call('POST', `/api/challenges/${id}/proof`, passkey.register(webauthn.creation))
    expect(proof.statusCode, proof.body).toBe(200)
    const { passkeys } = (await browser.get('/api/identities')).json<{ passkeys: { id: string }[] }>()
    return passkeys[0]?.id as string
  }

  return [
    {
      events: ['account.created', 'session.started'],
      async prepare() {
        const { browser } = await signedIn()
        await browser.call('DELETE', '/api/session')
        const wallet = testWallet()
        const { id, message } = await challenge(browser, { kind: 'EVMAddress', address: wallet.address })
        return api(browser, 'POST', `/api/challenges/${id}/proof`, { signature: wallet.sign(message) })
      },
    },
    {
      events: ['session.refused'],
      async prepare() {
        const { browser, account } = await signedIn()
        await browser.call('DELETE', '/api/session')
        const { id, message } = await challenge(browser, { kind: 'EVMAddress', address: account.wallet.address })
        return api(browser, 'POST', `/api/challenges/${id}/proof`, { signature: testWallet().sign(message) })
      },
    },
    own('session.ended', 'DELETE', '/api/session'),
    own('sessions.ended', 'DELETE', '/api/sessions'),
    own('profile.changed', 'PATCH', '/api/profile', { isPublic: true }),
    own('account.renamed', 'PATCH', '/api/account', () => ({ username: `renamed-${(counter += 1)}` })),
    {
      events: ['account.merged', 'account.merged-away', 'session.started'],
      async prepare() {
        const { browser } = await signedIn()
        const { account } = await signedIn()
        const asked = { kind: 'EVMAddress', address: account.wallet.address, purpose: 'merge' } as const
        const proof = await prove(browser, asked, ({ message }) => ({ signature: account.wallet.sign(message) }))
        return api(browser, 'POST', `/api/merges/${proof.json<{ merge: { id: string } }>().merge.id}`)
      },
    },
    {
      events: ['identity.linked'],
      async prepare() {
        const { browser } = await signedIn()
        const wallet = testWallet()
        const asked = { kind: 'EVMAddress', address: wallet.address, purpose: 'link' } as const
        const { id, message } = await challenge(browser, asked)
        return api(browser, 'POST', `/api/challenges/${id}/proof`, { signature: wallet.sign(message) })
      },
    },
    {
      events: ['identity.changed'],
      async prepare() {
        const { browser, account } = await signedIn()
        const identity = { kind: 'EVMAddress', subject: account.wallet.address.toLowerCase() }
        return api(browser, 'PATCH', '/api/identities', { ...identity, useForEligibility: false })
      },
    },
    {
      events: ['identity.unlinked'],
      async prepare() {
        const someone = await signedIn()
        await linkPasskey(someone)
        const subject = someone.account.wallet.address.toLowerCase()
        return api(someone.browser, 'DELETE', '/api/identities', { kind: 'EVMAddress', subject })
      },
    },
    {
      events: ['passkey.removed'],
      async prepare() {
        const someone = await signedIn()
        const subject = await linkPasskey(someone)
        return api(someone.browser, 'DELETE', '/api/identities', { kind: 'ServiceID', subject })
      },
    },
    own('token.created', 'POST', '/api/tokens', { name: 'T' }),
    about('token.regenerated', 'POST', async (someone) => `${await token(someone)}/regenerate`),
    about('token.revoked', 'DELETE', token),
    own('ingest-token.created', 'POST', '/api/ingest-tokens', ingestForm, operator),
    about(
      'ingest-token.regenerated',
      'POST',
      async (someone) => `${await ingestToken(someone)}/regenerate`,
      undefined,
      operator,
    ),
    about('ingest-token.revoked', 'DELETE', ingestToken, undefined, operator),
    own('app.applied', 'POST', '/api/apps', application),
    about('app.changed', 'PATCH', pendingApp, { name: 'Another name' }),
    about('app.deleted', 'DELETE', pendingApp),
    about('app.secret-issued', 'POST', async (someone) => `${await ownApp(someone)}/secrets`),
    about('app.secret-deleted', 'DELETE', async (someone) => {
      const path = await ownApp(someone)
      const { secrets } = (await someone.browser.get(path)).json<{ secrets: { secretId: string }[] }>()
      return `${path}/secrets/${secrets[0]?.secretId}`
    }),
    about('app.users-revoked', 'DELETE', async (someone) => `${await ownApp(someone)}/users`),
    decision('app.approved', 'approve', async () => {}),
    decision('app.refused', 'refuse', async () => {}),
    decision('app.suspended', 'suspend', approve),
    decision('app.resumed', 'resume', async (clientId) => {
      await approve(clientId)
      await decideApp(world.services.services, clientId, 'suspend')
    }),
    decision('app.changes-accepted', 'accept-changes', propose),
    decision('app.changes-refused', 'refuse-changes', propose),
    {
      events: ['consent.granted'],
      async prepare() {
        const { browser } = await signedIn()
        const started = await browser.get(authorizeUrl(await approvedApp(world.services)))
        return api(browser, 'POST', `/api/authorizations/${requestIdOf(started)}`, { decision: 'allow' })
      },
    },
    about('consent.withdrawn', 'DELETE', async ({ browser }) => {
      const app = await approvedApp(world.services)
      await tokensFor(world.services, browser, app)
      return `/api/authorized-apps/${app.clientId}`
    }),
    {
      events: ['grant.code-replayed'],
      async prepare() {
        const app = await approvedApp(world.services)
        const code = await codeFor((await signedIn()).browser, app)
        await redeemCode(world.services, app, code)
        return form(TOKEN_URL, app, { grant_type: 'authorization_code', code })
      },
    },
    {
      events: ['grant.refresh-token-replayed'],
      async prepare() {
        const app = await approvedApp(world.services, { expiringTokens: true })
        const { refresh_token = '' } = await tokensFor(world.services, (await signedIn()).browser, app)
        await refreshTokens(world.services, app, refresh_token)
        world.service.clock.advance(11_000) // the same client may repeat a refresh for 10 seconds
        return form(TOKEN_URL, app, { grant_type: 'refresh_token', refresh_token })
      },
    },
    {
      events: ['grant.revoked-by-app'],
      async prepare() {
        const app = await approvedApp(world.services, { expiringTokens: true })
        const { refresh_token = '' } = await tokensFor(world.services, (await signedIn()).browser, app)
        return form('/oauth/revoke', app, { token: refresh_token })
      },
    },
    {
      events: ['app.secret-guessed'],
      async prepare() {
        const app = await approvedApp(world.services)
        world.service.clock.advance(61_000) // a new window of attempts
        const guess = form(TOKEN_URL, { ...app, secret: 'wrong' }, { grant_type: 'authorization_code', code: 'x' })
        const { method, path: url, headers = {}, body: payload = '' } = guess
        for (let n = 0; n < clientFailuresByApp.most; n++)
          await world.service.app.fastify.inject({ method, url, headers, payload, remoteAddress: `198.51.100.${n}` })
        return guess
      },
    },
    own('webhook.created', 'POST', '/api/webhooks', hook, operator),
    about('webhook.changed', 'PATCH', webhook, { description: 'changed' }, operator),
    about('webhook.deleted', 'DELETE', webhook, undefined, operator),
    about('webhook.secret-rotated', 'POST', async (someone) => `${await webhook(someone)}/rotate`, undefined, operator),
    own('plan.changed', 'POST', '/api/operator/plans', () => ({ plan: `plan${(counter += 1)}`, ...limits }), operator),
    own('plan.changed', 'PUT', '/api/operator/plans/put', () => ({ ...limits, perDay: (counter += 1) }), operator),
    about(
      'plan.deleted',
      'DELETE',
      async ({ browser }) => {
        await browser.call('PUT', '/api/operator/plans/short', limits)
        return '/api/operator/plans/short'
      },
      undefined,
      operator,
    ),
    about(
      'token.plan-changed',
      'PUT',
      async (someone) => {
        await someone.browser.call('PUT', '/api/operator/plans/chosen', limits)
        return `/api/operator/tokens/${(await token(someone)).split('/').at(-1)}/plan`
      },
      { plan: 'chosen' },
      operator,
    ),
    about(
      'sync.started',
      'POST',
      async () => {
        await setSource(world.service.deps, '501', { kind: 'CSV', url: `${world.sourceUrl}/list`, format: 'text' })
        return '/api/operator/syncs/501/run'
      },
      {},
      operator,
    ),
    {
      events: ['data.imported'],
      readsUntil: '"stored"',
      async prepare() {
        const { browser } = await operator()
        const sent = await api(browser, 'POST', '/api/operator/imports?kind=spaces')
        const body = `spaceId,name\n${900 + (counter += 1)},Imported\n`
        return { ...sent, headers: { ...sent.headers, 'content-type': 'text/csv' }, body }
      },
    },
    {
      events: ['data.deleted'],
      async prepare() {
        const { service } = world
        deletedSpace = 800 + (counter += 1)
        await importRecords(service.deps, 'spaces', [{ spaceId: deletedSpace, name: 'Short-lived' }])
        const headers = { authorization: `Bearer ${await issueIngestToken(service)}` }
        // The first use of a token is stored; the request that is audited is the second one.
        await fetch(new URL('/ingest/v1/spaces', service.url), { headers })
        const unused = 'SELECT FROM ingest_tokens WHERE last_used_at IS NULL AND revoked_at IS NULL AND name = $1'
        await expect.poll(async () => (await service.database.query(unused, ['writer'])).length).toBe(0)
        return { method: 'DELETE', path: `/ingest/v1/spaces/${deletedSpace}?confirm=${deletedSpace}`, headers }
      },
      async isDone() {
        const rows = await world.service.database.query('SELECT FROM spaces WHERE space_id = $1', [deletedSpace])
        return rows.length === 0
      },
    },
  ]
}
