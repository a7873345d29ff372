import type { z } from 'zod'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { setOperator } from '../../../src/accounts/account.queries.ts'
import type { appShape } from '../../../src/dashboard/apps/app-route-descriptions.ts'
import { changeApp, decideApp, requireApp } from '../../../src/oauth/apps.ts'
import { approvedApp, signedInBrowser, type SignedIn } from '../../support/oauth-flow.ts'
import { type SignInService, startSignIn } from '../../support/oauth-service.ts'

let service: SignInService
let owner: SignedIn
beforeAll(async () => {
  service = await startSignIn({ checkAnswers: true })
  owner = await signedInBrowser(service)
})
afterAll(() => service.close())

test('lets an owner configure an approved app, propose redirect URIs and resubmit a refused app', async () => {
  const { browser, account } = await signedInBrowser(service)
  const own = await approvedApp(service, {}, account.id)
  const url = `/api/apps/${own.clientId}`
  const changed = await browser.call('PATCH', url, {
    redirectUris: ['https://new.example/'],
    s256Only: true,
    allowedOrigins: ['https://new.example'],
  })
  expect(changed.json()).toMatchObject({
    status: 'approved',
    redirectUris: [own.redirectUri],
    proposedRedirectUris: ['https://new.example/'],
    s256Only: true,
  })
  for (const origin of ['https://new.example/path', 'http://new.example', '*', 'null'])
    expect((await browser.call('PATCH', url, { allowedOrigins: [origin] })).statusCode).toBe(400)
  await service.database.query(`UPDATE apps SET status = 'refused' WHERE client_id = $1`, [own.clientId])
  expect((await browser.call('PATCH', url, { name: 'Better Name' })).json()).toMatchObject({ status: 'pending' })
  const mended = await browser.call('PATCH', url, { redirectUris: ['https://third.example/'] })
  expect(mended.json()).toMatchObject({ redirectUris: ['https://third.example/'] })
})

type App = z.infer<typeof appShape>

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

test('keeps approved details and the logo of an app until an operator accepts the new ones', async () => {
  const { browser, account } = await signedInBrowser(service)
  const own = await approvedApp(service, {}, account.id)
  const url = `/api/apps/${own.clientId}`
  const logo = `/app-logos/${own.clientId}`
  const { name, scopes, homepage } = (await browser.get(url)).json<App>()
  const change = async (changes: object) => (await browser.call('PATCH', url, changes)).json<App>()

  expect(await change({ name: 'Better Name', scopes: ['Discord', 'openid'] })).toMatchObject({
    status: 'approved',
    name,
    scopes,
    proposedDetails: { name: 'Better Name', scopes: ['Discord', 'openid'] },
  })
  expect((await change({ name, purpose: 'Something else' })).proposedDetails).toEqual({
    scopes: ['Discord', 'openid'],
    purpose: 'Something else',
  })
  const pictured = (await browser.call('PUT', `${url}/logo`, { logo: PNG.toString('base64') })).json<App>()
  expect(pictured).toMatchObject({ logo: null, proposedLogo: `${url}/proposed-logo` })
  expect((await browser.get(logo)).statusCode).toBe(404)
  expect((await browser.get(`${url}/proposed-logo`)).rawPayload).toEqual(PNG)
  const stranger = await signedInBrowser(service)
  expect((await stranger.browser.get(`${url}/proposed-logo`)).statusCode).toBe(404)
  await setOperator(service.database.kysely, stranger.account.id, new Date(service.clock.now()))
  expect((await stranger.browser.get(`${url}/proposed-logo`)).rawPayload).toEqual(PNG)
  expect((await change({ scopes: [...scopes, 'Github'] })).proposedDetails?.scopes).toHaveLength(scopes.length + 1)
  expect((await change({ scopes: scopes.toReversed() })).proposedDetails).toEqual({ purpose: 'Something else' })
  await change({ scopes: ['Discord', 'openid'] })

  const { revision } = await change({ expiringTokens: true })
  const stale = decideApp(service.services, own.clientId, 'accept-changes', { revision: revision - 1 })
  await expect(stale).rejects.toMatchObject({ code: 'app_changed' })
  await decideApp(service.services, own.clientId, 'accept-changes', { revision })
  expect((await browser.get(url)).json()).toMatchObject({
    name,
    homepage,
    purpose: 'Something else',
    scopes: ['Discord', 'openid'],
    proposedDetails: null,
    logo,
    proposedLogo: null,
  })
  expect((await browser.get(logo)).rawPayload).toEqual(PNG)

  await change({ name: 'Third Name' })
  await decideApp(service.services, own.clientId, 'refuse-changes', { reason: 'misleading' })
  expect((await browser.get(url)).json()).toMatchObject({ name, proposedDetails: null, statusReason: 'misleading' })
  await change({ name: 'Third Name' })
  expect(await change({ name })).toMatchObject({ proposedDetails: null })
  const setLogo = async (bytes: Buffer | null) =>
    (await browser.call('PUT', `${url}/logo`, { logo: bytes?.toString('base64') ?? null })).json<App>()
  const withdrawLogo = () => browser.call('DELETE', `${url}/proposed-logo`)
  await setLogo(PNG)
  expect((await stranger.browser.call('DELETE', `${url}/proposed-logo`)).statusCode).toBe(404)
  expect((await withdrawLogo()).json()).toMatchObject({ logo, proposedLogo: null })
  await setLogo(PNG)
  await decideApp(service.services, own.clientId, 'refuse-changes', {})
  expect((await withdrawLogo()).statusCode).toBe(404)
  expect((await browser.get(url)).json()).toMatchObject({ logo, proposedLogo: null })
  await setLogo(PNG)
  expect(await setLogo(null)).toMatchObject({ logo: null, proposedLogo: `${url}/proposed-logo` })
  await withdrawLogo()
  const before = await requireApp(service.services, own.clientId)
  await change({ name: 'Fourth Name' })
  const proposed = await requireApp(service.services, own.clientId)
  await decideApp(service.services, own.clientId, 'accept-changes', proposed)
  for (const seen of [before, proposed])
    await expect(changeApp(service.services, seen, { purpose: 'Late' })).rejects.toMatchObject({ code: 'app_changed' })
  for (const fixed of [{ publicClient: true }, { subjectType: 'pairwise' }])
    expect((await browser.call('PATCH', url, fixed)).json()).toMatchObject({ error: { code: 'app_decided' } })
  for (const bad of [{ name: '' }, { scopes: ['nothing'] }, { homepage: 'http://a.example' }])
    expect((await browser.call('PATCH', url, bad)).statusCode, JSON.stringify(bad)).toBe(400)
})

test('lists the events of one app in the log of its owner, also decisions of an operator', async () => {
  const other = await approvedApp(service, {}, owner.account.id)
  interface Page {
    events: { event: string; clientId: string }[]
    next: string | null
  }
  const read = async (query: string) =>
    (await owner.browser.get(`/api/audit?app=${other.clientId}${query}`)).json<Page>()
  const all = ['app.applied', 'app.approved', 'app.secret-issued']
  const { events } = await read('')
  // They have the same time, and then no order that means anything.
  expect(events.map(({ event }) => event).toSorted()).toEqual(all)
  expect(new Set(events.map(({ clientId }) => clientId))).toEqual(new Set([other.clientId]))
  const first = await read('&first=2')
  const second = await read(`&first=2&before=${first.next}`)
  expect(first.events).toHaveLength(2)
  expect([...first.events, ...second.events]).toEqual(events)
  expect(second.next).toBeNull()
  const stranger = await signedInBrowser(service)
  expect((await stranger.browser.get(`/api/audit?app=${other.clientId}`)).json()).toEqual({ events: [], next: null })
  const refused = await owner.browser.get('/api/audit?app=a%20b')
  expect(refused.statusCode).toBe(400)
  expect(refused.json()).toMatchObject({ error: { field: 'app' } })
})
