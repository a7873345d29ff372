import { decodeJwt } from 'jose'
import * as openid from 'openid-client'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { changeApp, decideApp, requireApp } from '../../src/oauth/apps.ts'
import { sendDue } from '../support/send-due.ts'
import { logoutQueue } from '../../src/oauth/back-channel/deliver.ts'
import { sectorOf } from '../../src/oauth/subject.ts'
import { createOutgoing, type Outgoing } from '../../src/outgoing/outgoing.ts'
import { confirm, offerOf } from '../identity/merging.ts'
import {
  approvedApp,
  authorizeUrl,
  signedInBrowser,
  type SignedIn,
  type TestApp,
  tokenDetail,
  tokensFor,
} from '../support/oauth-flow.ts'
import { type SignInService, startListening } from '../support/oauth-service.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'
import { visit } from '../support/visit.ts'

const BACK = 'https://app.example.com/bye'
const subject = expect.stringMatching(/^[\w-]{22}$/) as string

let receiver: Upstream
let service: SignInService
let outgoing: Outgoing
let app: TestApp
/** At the host of `app`. */
let sibling: TestApp
let elsewhere: TestApp
let user: SignedIn
beforeAll(async () => {
  receiver = await startUpstream((_, response) => void response.writeHead(200).end())
  service = await startListening({ QUESTBOARD_WEBHOOK_HOSTS: receiver.host })
  outgoing = createOutgoing({ hosts: service.services.config.webhookHosts })
  app = await pairwiseApp('app.example.com', {
    postLogoutRedirectUris: [BACK],
    backchannelLogoutUri: `${receiver.url}/logout`,
  })
  sibling = await pairwiseApp('app.example.com:8443')
  elsewhere = await pairwiseApp('other.example.com')
})
beforeEach(async () => {
  user = await signedInBrowser(service)
})
afterAll(() => Promise.all([service.close(), outgoing.close(), receiver.close()]))

const pairwiseApp = (host: string, form: Parameters<typeof approvedApp>[1] = {}) =>
  approvedApp(service, { redirectUris: [`https://${host}/callback`], subjectType: 'pairwise', ...form })
const idTokenOf = async (client: TestApp, { browser } = user) =>
  (await tokensFor(service, browser, client, { scope: 'openid' })).id_token as string
const subOf = async (client: TestApp, who = user) => decodeJwt(await idTokenOf(client, who)).sub
const silently = async (hint: string, { browser } = user) => {
  const url = authorizeUrl(app, { scope: 'openid', prompt: 'none', id_token_hint: hint })
  return new URL(String((await browser.get(url)).headers.location)).searchParams
}

describe('the subject of a user', () => {
  test('is the same for the apps at one host, and different at another host and for another user', async () => {
    const first = await subOf(app)
    expect(first).toEqual(subject)
    expect(await subOf(app)).toBe(first)
    expect(await subOf(sibling)).toBe(first)
    const others = [await subOf(elsewhere), await subOf(await approvedApp(service)), user.account.id]
    expect(new Set([first, ...others]).size).toBe(3)
    expect(others[1]).toBe(user.account.id)
    expect(await subOf(app, await signedInBrowser(service))).not.toBe(first)
  })

  test('openid-client: is equal in id_token, userinfo and introspection, and leads to sign-out', async () => {
    const options = { execute: [openid.allowInsecureRequests] }
    const config = await openid.discovery(new URL(service.issuer), app.clientId, app.secret, undefined, options)
    const [expectedState, expectedNonce] = [openid.randomState(), openid.randomNonce()]
    const request = { redirect_uri: app.redirectUri, scope: 'openid', state: expectedState, nonce: expectedNonce }
    const callback = await visit(service, user.browser, openid.buildAuthorizationUrl(config, request))
    const tokens = await openid.authorizationCodeGrant(config, callback, { expectedState, expectedNonce })
    const sub = tokens.claims()?.sub as string
    expect(sub).toEqual(subject)
    expect(await openid.fetchUserInfo(config, tokens.access_token, sub)).toEqual({ sub })
    expect(await openid.tokenIntrospection(config, tokens.access_token)).toMatchObject({ active: true, sub })
    const url = openid.buildEndSessionUrl(config, {
      id_token_hint: tokens.id_token as string,
      post_logout_redirect_uri: BACK,
      state: 'x',
    })
    const answer = await user.browser.get(url.pathname + url.search)
    expect(answer.headers.location).toBe(`${BACK}?state=x`)
  })

  test('is in the id_token_hint: accepts the user, and not another one', async () => {
    const hint = await idTokenOf(app)
    expect((await silently(hint)).get('code')).toEqual(expect.stringMatching(/^qbc_/))
    const stranger = await signedInBrowser(service)
    await idTokenOf(app, stranger)
    expect((await silently(hint, stranger)).get('error')).toBe('login_required')
  })

  test('is in the logout token', async () => {
    const { sub, sid } = decodeJwt(await idTokenOf(app))
    receiver.requests.length = 0
    await user.browser.call('DELETE', '/api/session')
    const deps = { ...service.services, outgoing }
    await sendDue(logoutQueue(deps), deps)
    const tokens = receiver.requests.map(({ body }) =>
      decodeJwt(new URLSearchParams(body).get('logout_token') as string),
    )
    expect(tokens).toContainEqual(expect.objectContaining({ sub, sid }))
  })

  test('changes with the account at a merge, as a public one does: the old id_token still names the user', async () => {
    const ended = await signedInBrowser(service)
    const tokens = await tokensFor(service, ended.browser, app, { scope: 'openid' })
    const before = await subOf(app)
    const { id } = await offerOf(user.browser, ended.account.wallet)
    expect((await confirm(user.browser, id)).statusCode).toBe(200)
    expect(await subOf(app)).toBe(before)
    expect((await silently(tokens.id_token as string)).has('code')).toBe(true)
  })
})

describe('oidcc-registration-sector-bad: the redirect URIs have one https host', () => {
  const form = { name: 'Board Games', purpose: 'Games', scopes: ['openid'], subjectType: 'pairwise' }
  const uri = 'https://app.example.com/callback'
  const apply = async (redirectUris: string[]) => {
    const applied = await user.browser.call('POST', '/api/apps', { ...form, redirectUris })
    return [applied.statusCode, applied.json<{ error?: { message: string } }>()] as const
  }

  test.each([
    [['https://app.example.com/a', 'https://other.example.com/b'], 1],
    [['https://app.example.com/a', 'http://localhost:3000/b'], 1],
    [['com.example.app:/callback', 'https://app.example.com/a'], 0],
  ])('refuses %j', async (redirectUris, place) => {
    const [status, body] = await apply(redirectUris)
    expect(status).toBe(400)
    expect(JSON.stringify(body)).toContain(`redirectUris.${place}`)
    expect(JSON.stringify(body)).toContain(
      'must be an https URL at the host app.example.com, because all redirect URIs of an app with pairwise user IDs',
    )
    expect((await user.browser.get('/api/apps')).json()).toEqual({ apps: [] })
  })

  test('refuses an app that only programs on a device can receive', async () => {
    const [status, body] = await apply(['http://127.0.0.1/callback'])
    expect(status).toBe(400)
    expect(JSON.stringify(body)).toContain('must be an https URL, because')
  })

  test('an approved app keeps its host and its type', async () => {
    const own = await approvedApp(service, { redirectUris: [uri], subjectType: 'pairwise' }, user.account.id)
    const patch = (changes: object) => user.browser.call('PATCH', `/api/apps/${own.clientId}`, changes)
    const moved = await patch({ redirectUris: ['https://other.example.com/callback'] })
    expect(moved.statusCode).toBe(400)
    expect(moved.body).toContain('at the host app.example.com')
    expect((await patch({ subjectType: 'public' })).statusCode).toBe(409)
    expect((await patch({ redirectUris: [`${uri}/2`] })).json()).toMatchObject({
      subjectType: 'pairwise',
      redirectUris: [uri],
      proposedRedirectUris: [`${uri}/2`],
    })
  })
})

test('a refused app that changes its type or its host loses its tokens, and old id_tokens identify no account', async () => {
  const own = await pairwiseApp('changing.example.com', { backchannelLogoutUri: `${receiver.url}/changing` })
  const steps = [
    { changes: { redirectUris: ['https://moved.example.com/callback'] }, status: 303 },
    { changes: { subjectType: 'public' as const }, status: 400 },
  ]
  for (const { changes, status } of steps) {
    const current = { ...own, redirectUri: (await stored(own)).redirectUris[0] as string }
    const leaver = await signedInBrowser(service)
    await tokensFor(service, leaver.browser, current, { scope: 'openid' })
    await leaver.browser.call('DELETE', '/api/session')
    const tokens = await tokensFor(service, user.browser, current, { scope: 'openid' })
    expect(await toldAtSignOut(own)).toEqual([1, 1])
    await decideApp(service.services, own.clientId, 'refuse')
    await changeApp(service.services, await stored(own), changes)
    // A logout token would have the old sid and the new subject.
    expect(await toldAtSignOut(own)).toEqual([0, 0])
    await decideApp(service.services, own.clientId, 'approve', await stored(own))
    expect((await tokenDetail(service, tokens.access_token)).statusCode).toBe(401)
    const left = await user.browser.get(
      `/oauth/logout?${new URLSearchParams({ id_token_hint: tokens.id_token as string }).toString()}`,
    )
    expect(left.statusCode).toBe(status)
    expect((await user.browser.get('/api/session')).json()).toMatchObject({ account: { id: user.account.id } })
  }
})

test('an app with pairwise subjects never gets public ones, not even if its host is unreadable', () => {
  for (const redirectUris of [[], ['com.example.app:/callback'], ['app.example.com']])
    expect(() => sectorOf({ subjectType: 'pairwise', redirectUris })).toThrow('without a host')
})

/** How many sessions and how many ended sessions lead to a logout token of an app. */
const toldAtSignOut = ({ clientId }: TestApp) =>
  Promise.all(
    ['session_apps', 'logout_notices'].map(
      async (table) => (await service.database.query(`SELECT FROM ${table} WHERE client_id = $1`, [clientId])).length,
    ),
  )
const stored = ({ clientId }: TestApp) => requireApp(service.services, clientId)
