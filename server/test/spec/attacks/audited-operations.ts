import { expect } from 'vitest'
import { inviteOperator } from '../../../src/accounts/operator-invitations.ts'
import { DAY } from '../../../src/clock.ts'
import { clientFailuresByApp } from '../../../src/rate-limits/limits.ts'
import type { SecurityEvent } from '../../../src/audit/audit.ts'
import { auditedBans } from './audited-bans.ts'
import { auditedImports } from './audited-imports.ts'
import { auditedPeople } from './audited-people.ts'
import { auditedRules } from './audited-rules.ts'
import { auditedTeams } from './audited-teams.ts'
import { contentOperations } from './audited-content.ts'
import type { AuditedWorld, Operation } from './audited-operation.ts'
import { auditedRequests } from './audited-requests.ts'
import { decideApp, requireApp } from '../../../src/oauth/apps.ts'
import { importRecords } from '../../../src/ingest/import-records.ts'
import { setSource } from '../../../src/sync/set-source.ts'
import { ingestToken as issueIngestToken } from '../../ingest-api/arrange.ts'
import { challenge, prove } from '../../identity/wallet-proof.ts'
import {
  approvedApp,
  authorizeUrl,
  CALLBACK,
  codeFor,
  redeemCode,
  refreshTokens,
  requestIdOf,
  type SignedIn,
  TOKEN_URL,
  tokensFor,
} from '../../support/oauth-flow.ts'
import { testPasskey } from '../../support/oauth-passkey.ts'
import { testWallet } from '../../support/oauth-wallet.ts'
import { encodePng } from '../../support/png.ts'

const SPACE_40 = '/api/spaces/40'

/** Every audited operation that a client can request, on a service with space 40 and credential 501. */
export function auditedOperations(world: AuditedWorld): Operation[] {
  /** Makes names unique. */
  let counter = 0
  let deletedSpace = 0

  const { signedIn, api, form, operator, own, about } = auditedRequests(world)

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
  const snapshotPath = async () => {
    const credential = { id: '777', name: 'Sealed', credType: 'EVM_ADDRESS', credSource: 'CSV' }
    await importRecords(world.service.deps, 'credentials', [credential])
    return '/api/operator/snapshots'
  }
  const reversalsWithAward = async () => {
    const key = `award-${(counter += 1)}`
    await importRecords(world.service.deps, 'awards', [{ key, spaceId: 40, address: 'ann', points: 1 }])
    return `${SPACE_40}/reversals`
  }
  const pendingApp = (someone: SignedIn) => made(someone, '/api/apps', application, 'clientId')
  const ownApp = async ({ account }: SignedIn) => {
    const app = await approvedApp(world.services, { expiringTokens: true }, account.id)
    return `/api/apps/${app.clientId}`
  }

  /** A decision of an operator on an app of another account. */
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
    own('profile.changed', 'PUT', '/api/profile/avatar', { image: encodePng(16, 16).toString('base64') }),
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
        for (let n = 0; n < clientFailuresByApp.max; n++)
          await world.service.app.fastify.inject({ method, url, headers, payload, remoteAddress: `198.51.100.${n}` })
        return guess
      },
    },
    own('webhook.created', 'POST', '/api/webhooks', hook, operator),
    about('webhook.changed', 'PATCH', webhook, { description: 'changed' }, operator),
    about('webhook.deleted', 'DELETE', webhook, undefined, operator),
    about('webhook.secret-rotated', 'POST', async (someone) => `${await webhook(someone)}/rotate`, undefined, operator),
    {
      events: ['account.operator-granted'],
      async prepare() {
        const { url } = await inviteOperator(world.services.services, DAY)
        const code = new URL(url).hash.slice(1)
        return api((await signedIn()).browser, 'POST', '/api/operator/invitations/accept', { code })
      },
    },
    own('space.published', 'PUT', '/api/explore/spaces/40/page', () => ({ slug: `s${(counter += 1)}` }), operator),
    about(
      'space.embeds-changed',
      'PUT',
      async ({ browser }) => {
        await browser.call('PUT', '/api/explore/spaces/40/page', { slug: 'forty' })
        return '/api/explore/spaces/40/page/embeds'
      },
      () => ({ origins: [] }),
      operator,
    ),
    about(
      'space.unpublished',
      'DELETE',
      async ({ browser }) => {
        await browser.call('PUT', '/api/explore/spaces/40/page', { slug: 'forty' })
        return '/api/explore/spaces/40/page'
      },
      undefined,
      operator,
    ),
    about(
      'starboard.published',
      'PUT',
      async ({ browser }) => {
        const id = `page${(counter += 1)}`
        const made = await browser.call('POST', '/api/starboards', { id, name: 'Page', type: 'TWITTER' })
        expect(made.statusCode, made.body).toBe(201)
        return `/api/starboards/${id}/page`
      },
      undefined,
      operator,
    ),
    about(
      'starboard.unpublished',
      'DELETE',
      async ({ browser }) => {
        const id = `page${(counter += 1)}`
        await browser.call('POST', '/api/starboards', { id, name: 'Page', type: 'TWITTER' })
        await browser.call('PUT', `/api/starboards/${id}/page`)
        return `/api/starboards/${id}/page`
      },
      undefined,
      operator,
    ),
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
    ...auditedBans(world),
    ...auditedImports(world),
    ...auditedPeople(world),
    ...auditedRules(world),
    ...auditedTeams(world),
    own('points.awarded', 'POST', `${SPACE_40}/awards`, { address: 'ann', points: 1, reason: 'R' }, operator),
    about('points.reversed', 'POST', reversalsWithAward, () => ({ key: `award-${counter}`, reason: 'R' }), operator),
    about('snapshot.created', 'POST', snapshotPath, { credentialId: '777' }, operator),
    about(
      'snapshot.deleted',
      'DELETE',
      async ({ browser }) => {
        const path = await snapshotPath()
        return `${path}/${(await browser.call('POST', path, { credentialId: '777' })).json<{ id: string }>().id}`
      },
      undefined,
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
        // The audited request is the second one, because the first use of a token writes rows.
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
    ...contentOperations(world),
  ]
}
