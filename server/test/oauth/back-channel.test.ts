import { decodeJwt } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { SECOND } from '../../src/clock.ts'
import { moveAccount } from '../../src/identity/merge.queries.ts'
import { SESSION_IDLE_LIFETIME, DELIVERY_LEASE } from '../../src/lifetimes.ts'
import { createSender } from '../../src/jobs/sender.ts'
import { sendDue } from '../support/send-due.ts'
import { logoutQueue } from '../../src/oauth/back-channel/deliver.ts'
import { changeApp, decideApp, requireApp } from '../../src/oauth/apps.ts'
import { createOutgoing, type Outgoing } from '../../src/outgoing/outgoing.ts'
import { runningWork } from '../../src/jobs/running-work.ts'
import { suspendAccount } from '../../src/people/suspension.ts'
import { eraseAccount } from '../../src/personal-data/erase-account.ts'
import { sweepSignIn } from '../../src/schedule/sign-in-sweep.ts'
import { nowOf } from '../../src/services.ts'
import { RETRY_DELAYS } from '../../src/webhooks/retry-schedule.ts'
import { linkWallet } from '../claims/member-fixture.ts'
import { openBrowser, signInWithWallet } from '../support/oauth-browser.ts'
import {
  approvedApp,
  codeFor,
  redeemCode,
  signedInBrowser,
  type SignedIn,
  type TestApp,
  tokensFor,
} from '../support/oauth-flow.ts'
import { type SignInService, startSignIn } from '../support/oauth-service.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'

let status = 200
let receiver: Upstream
let service: SignInService
let outgoing: Outgoing
let app: TestApp
let user: SignedIn
let sid: unknown
beforeAll(async () => {
  receiver = await startUpstream((_, response) => void response.writeHead(status).end())
  service = await startSignIn({ settings: { QUESTBOARD_WEBHOOK_HOSTS: receiver.host } })
  outgoing = createOutgoing({ hosts: service.services.config.webhookHosts })
  app = await approvedApp(service, { backchannelLogoutUri: `${receiver.url}/logout` })
})
beforeEach(async () => {
  user = await signedInBrowser(service)
  sid = await sidOf(user)
  receiver.requests.length = 0
  status = 200
})
afterAll(async () => {
  await Promise.all([service.close(), outgoing.close(), receiver.close()])
})

const deps = () => ({ ...service.services, outgoing })
const inTransaction = <T>(
  work: Parameters<ReturnType<SignInService['database']['kysely']['transaction']>['execute']>[0],
) => service.database.kysely.transaction().execute(work) as Promise<T>
const tokensTo = async ({ browser }: SignedIn, client = app) =>
  decodeJwt((await tokensFor(service, browser, client, { scope: 'openid' })).id_token as string)
const sidOf = async (who: SignedIn) => (await tokensTo(who)).sid
const queued = () => service.database.query('SELECT client_id, tries FROM logout_notices')
const sent = () =>
  receiver.requests.map(({ body }) => decodeJwt(new URLSearchParams(body).get('logout_token') as string))

/** Sends what is due. Returns the sessions of the logout tokens that apps received. */
async function delivered() {
  receiver.requests.length = 0
  await sendDue(logoutQueue(deps()), deps())
  return sent().map(({ sub, sid }) => ({ sub, sid }))
}
const own = () => ({ sub: user.account.id, sid })

describe('an app receives a logout token when a session ends', () => {
  test('by the user, on the pages', async () => {
    await user.browser.call('DELETE', '/api/session')
    expect(await delivered()).toEqual([own()])
    expect(await queued()).toEqual([])
  })

  test('by another app', async () => {
    const other = await approvedApp(service)
    const { id_token } = await tokensFor(service, user.browser, other, { scope: 'openid' })
    await user.browser.get(`/oauth/logout?id_token_hint=${id_token}`)
    expect(await delivered()).toEqual([own()])
  })

  test('by the user, from another session: one, or all', async () => {
    const elsewhere = { ...user, browser: openBrowser(service.fastify) }
    await signInWithWallet(elsewhere.browser, user.account.wallet)
    const own = await sidOf(elsewhere)
    const { sessions } = (await elsewhere.browser.get('/api/sessions')).json<{
      sessions: { sessionId: string; current: boolean }[]
    }>()
    const [first] = sessions.filter(({ current }) => !current)
    await elsewhere.browser.call('DELETE', `/api/sessions/${first?.sessionId}`)
    expect(await delivered()).toEqual([{ sub: user.account.id, sid }])
    await elsewhere.browser.call('DELETE', '/api/sessions')
    expect(await delivered()).toEqual([{ sub: user.account.id, sid: own }])
  })

  test('because another account signs in in the browser', async () => {
    const old = user.account.id
    await signInWithWallet(user.browser)
    expect(await delivered()).toEqual([{ sub: old, sid }])
  })

  test('because an identity was unlinked', async () => {
    const elsewhere = openBrowser(service.fastify)
    await signInWithWallet(elsewhere, user.account.wallet)
    const address = await linkWallet({ browser: elsewhere })
    const removed = await elsewhere.call('DELETE', '/api/identities', { kind: 'EVMAddress', subject: address })
    expect(removed.statusCode).toBe(200)
    expect(await delivered()).toEqual([own()])
  })

  test('because the account was suspended', async () => {
    await inTransaction((trx) =>
      suspendAccount(service.services, trx, user.account.id, 'Spam', { network: '192.0.2.1', by: 'operator' }),
    )
    expect(await delivered()).toEqual([own()])
  })

  test('because the account was merged into another: under the sub that the app has', async () => {
    const into = await signedInBrowser(service)
    await inTransaction((trx) => moveAccount(trx, user.account.id, into.account.id, nowOf(service.services)))
    expect(await delivered()).toEqual([own()])
  })

  test('because the account was deleted: by the session alone, and nothing names the account', async () => {
    const elsewhere = openBrowser(service.fastify)
    await user.browser.call('DELETE', '/api/session') // its notice waits
    const left = (await service.database.query('SELECT FROM session_apps')).length
    await signInWithWallet(elsewhere, user.account.wallet)
    const second = await sidOf({ ...user, browser: elsewhere })
    await eraseAccount(service.services, user.account.id)
    expect(await service.database.query('SELECT FROM session_apps')).toHaveLength(left)
    const rows = await service.database.query<{ row: string }>(`SELECT t::text AS row FROM logout_notices t`)
    expect(rows).toHaveLength(2)
    expect(JSON.stringify(rows)).not.toContain(user.account.id)
    expect(await delivered()).toEqual(expect.arrayContaining([sid, second].map((sid) => ({ sub: undefined, sid }))))
  })
})

describe('an app receives no logout token', () => {
  test('when the account signs in again in the same browser; the sid stays', async () => {
    const cookies = new Map(user.browser.cookies)
    await signInWithWallet(user.browser, user.account.wallet)
    expect(user.browser.cookies).not.toEqual(cookies)
    expect(await sidOf(user)).toBe(sid)
    expect(await queued()).toEqual([])
    await user.browser.call('DELETE', '/api/session')
    expect(await delivered()).toEqual([own()])
  })

  test('when the session expires', async () => {
    service.clock.advance(SESSION_IDLE_LIFETIME + SECOND)
    await sweepSignIn(service.database.kysely, service.clock.now())
    expect(await delivered()).toEqual([])
    expect(await service.database.query('SELECT FROM session_apps')).toEqual([])
  })

  test('about a session without an id_token of the app', async () => {
    const visitor = await signedInBrowser(service)
    await tokensFor(service, visitor.browser, app, { scope: 'EVMAddress' })
    await visitor.browser.call('DELETE', '/api/session')
    expect(await delivered()).toEqual([])
  })

  const signOutWhile = async (state: 'suspended' | 'refused') => {
    const other = await approvedApp(service, { backchannelLogoutUri: `${receiver.url}/other` })
    const visitor = await signedInBrowser(service)
    await tokensTo(visitor, other)
    const setStatus = (status: string) =>
      service.database.query('UPDATE apps SET status = $2 WHERE client_id = $1', [other.clientId, status])
    await setStatus(state)
    await visitor.browser.call('DELETE', '/api/session')
    expect(await delivered()).toEqual([])
    return { setStatus }
  }

  test('while it is refused', async () => {
    await signOutWhile('refused')
    expect(await queued()).toEqual([])
  })

  test('while it is suspended, and receives it after it is resumed', async () => {
    const { setStatus } = await signOutWhile('suspended')
    await setStatus('approved')
    service.clock.advance(2 * (RETRY_DELAYS[0] ?? 0))
    expect(await delivered()).toHaveLength(1)
    expect(await queued()).toEqual([])
  })
})

test('each app has its own sid of a session', async () => {
  const other = await approvedApp(service)
  const again = await tokensTo(user)
  expect(again.sid).toBe(sid)
  expect((await tokensTo(user, other)).sid).not.toBe(sid)
  const { sessions } = (await user.browser.get('/api/sessions')).json<{ sessions: { sessionId: string }[] }>()
  expect(JSON.stringify(sessions)).not.toContain(sid)
})

test('a code ends with its session, so that no id_token follows the notice', async () => {
  const code = await codeFor(user.browser, app, { scope: 'openid' })
  await user.browser.call('DELETE', '/api/session')
  expect(await delivered()).toEqual([own()])
  expect((await redeemCode(service, app, code)).json()).toMatchObject({ error: 'invalid_grant' })
})

describe('a notice', () => {
  test('goes out again after a failure with a new token, and ends after the last attempt', async () => {
    await user.browser.call('DELETE', '/api/session')
    status = 500
    const tokens = new Set<unknown>()
    for (const delay of [...RETRY_DELAYS, 0]) {
      expect(await delivered()).toEqual([own()])
      tokens.add(sent()[0]?.jti)
      expect(await delivered()).toEqual([])
      service.clock.advance(delay * 1.2)
    }
    expect(tokens.size).toBe(RETRY_DELAYS.length + 1)
    expect(await queued()).toEqual([])
  })

  test.each([302, 400, 503])('stays due after the status %s', async (failure) => {
    await user.browser.call('DELETE', '/api/session')
    status = failure
    await delivered()
    expect(await queued()).toEqual([{ client_id: app.clientId, tries: 1 }])
    status = 204
    service.clock.advance(10 * SECOND)
    expect(await delivered()).toEqual([own()])
    expect(await queued()).toEqual([])
  })

  test('belongs to one instance at a time, and is due again if its process ended', async () => {
    await user.browser.call('DELETE', '/api/session')
    const stopped = runningWork()
    const crashed = { ...deps(), outgoing: { ...outgoing, send: () => new Promise<never>(() => {}) } }
    expect(await createSender(logoutQueue(crashed), crashed, stopped).begin()).toBe(1)
    expect(await delivered()).toEqual([])
    service.clock.advance(DELIVERY_LEASE + SECOND)
    expect(await delivered()).toEqual([own()])
  })

  test('of an app that does not respond delays no other app', async () => {
    const slow = await approvedApp(service, { backchannelLogoutUri: `${receiver.url}/slow` })
    for (let n = 0; n < 40; n++)
      await service.database.query(`INSERT INTO logout_notices (client_id, sid) VALUES ($1, $2)`, [slow.clientId, n])
    await user.browser.call('DELETE', '/api/session')
    const running = runningWork()
    expect(await createSender(logoutQueue(deps()), deps(), running).begin()).toBe(6)
    await running.allEnded()
    expect(sent()).toContainEqual(expect.objectContaining(own()))
    await sendDue(logoutQueue(deps()), deps())
  })

  test('ends with its app', async () => {
    const other = await approvedApp(service, { backchannelLogoutUri: `${receiver.url}/other` })
    const visitor = await signedInBrowser(service)
    await tokensTo(visitor, other)
    await visitor.browser.call('DELETE', '/api/session')
    const owner = await service.database.query('SELECT FROM logout_notices WHERE client_id = $1', [other.clientId])
    expect(owner).toHaveLength(1)
    await service.database.query('DELETE FROM apps WHERE client_id = $1', [other.clientId])
    expect(await delivered()).toEqual([])
    expect(await queued()).toEqual([])
  })
})

test('a new address waits for an operator, and the removal of one takes effect at once', async () => {
  const { clientId } = await approvedApp(service, { backchannelLogoutUri: `${receiver.url}/one` })
  const now = () => requireApp(service.services, clientId)
  const change = async (backchannelLogoutUri: string | null) =>
    changeApp(service.services, await now(), { backchannelLogoutUri })
  const [one, two] = [`${receiver.url}/one`, `${receiver.url}/two`]
  const proposed = await change(two)
  expect(proposed).toMatchObject({ backchannelLogoutUri: one, proposedBackchannelLogoutUri: two })
  const { revision } = proposed
  const stale = decideApp(service.services, clientId, 'accept-changes', { revision: revision - 1 })
  await expect(stale).rejects.toMatchObject({ code: 'app_changed' })
  const accepted = await decideApp(service.services, clientId, 'accept-changes', { revision })
  expect(accepted).toMatchObject({ backchannelLogoutUri: two, proposedBackchannelLogoutUri: null })
  await change(one)
  expect(await decideApp(service.services, clientId, 'refuse-changes')).toMatchObject({
    backchannelLogoutUri: two,
    proposedBackchannelLogoutUri: null,
  })
  await change(one)
  expect(await change(null)).toMatchObject({ backchannelLogoutUri: null, proposedBackchannelLogoutUri: null })
})
