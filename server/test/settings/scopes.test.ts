import { afterAll, beforeAll, expect, it } from 'vitest'
import { loadConfig } from '../../src/config.ts'
import {
  approvedApp,
  authorizeUrl,
  postForm,
  redeemCode,
  refreshTokens,
  requestIdOf,
  signedInBrowser,
  type TestApp,
  tokenDetail,
  type Tokens,
  tokensFor,
  userData,
} from '../support/oauth-flow.ts'
import { type SignInService, startSignIn } from '../support/oauth-service.ts'

let service: SignInService
let app: TestApp

beforeAll(async () => {
  service = await startSignIn({ settings: { QUESTBOARD_SERVICE_ID_ALIASES: 'GalxeID, Member' } })
  app = await approvedApp(service, { expiringTokens: true })
})
afterAll(() => service.close())

const metadataOf = async () => {
  const answer = await service.fastify.inject('/.well-known/openid-configuration')
  return answer.json<{ scopes_supported: string[] }>()
}

it('shows the scope GalxeID as ServiceID on the consent page and returns the user data under all names of the scope', async () => {
  const { browser, account } = await signedInBrowser(service)
  const id = requestIdOf(await browser.get(authorizeUrl(app, { scope: 'GalxeID' })))
  const shown = (await browser.get(`/api/authorizations/${id}`)).json<{ scopes: { scope: string }[] }>()
  expect(shown.scopes.map(({ scope }) => scope)).toEqual(['ServiceID'])
  const tokens = await tokensFor(service, browser, app, { scope: 'GalxeID' })
  const keys = {
    ...{ ServiceID: account.username, ServiceUserID: account.id },
    ...{ GalxeID: account.username, GalxeUserID: account.id },
    ...{ Member: account.username, MemberUserID: account.id },
  }
  for (const query of ['', '?scope=GalxeID', '?scope=serviceid', '?scope=MEMBER%20Email'])
    expect((await userData(service, tokens.access_token, query)).json()).toEqual(keys)
  expect(await metadataOf()).toMatchObject({
    scopes_supported: expect.arrayContaining(['ServiceID', 'GalxeID', 'Member']) as string[],
  })
})

it('accepts scope names in upper or lower case and returns them as the app wrote them', async () => {
  const { browser, account } = await signedInBrowser(service)
  const scope = 'evmaddress galxeid OpenID'
  const tokens = await tokensFor(service, browser, app, { scope })
  expect(tokens.scope).toBe(scope)
  expect(tokens.id_token).toBeDefined()
  expect((await tokenDetail(service, tokens.access_token)).json()).toMatchObject({ scope })
  const credentials = { client_id: app.clientId, client_secret: app.secret, token: tokens.access_token }
  expect((await postForm(service, '/oauth/introspect', credentials)).json()).toMatchObject({ scope, sub: account.id })
  expect((await userData(service, tokens.access_token, '?scope=EVMADDRESS')).json()).toEqual({
    EVMAddress: account.wallet.address.toLowerCase(),
  })
  const refreshed = (await refreshTokens(service, app, tokens.refresh_token as string)).json<Tokens>()
  expect(refreshed.scope).toBe(scope)
  const narrowed = await refreshTokens(service, app, refreshed.refresh_token as string, { scope: 'GALXEID' })
  expect(narrowed.json<Tokens>().scope).toBe('GALXEID')
})

it('remembers the consent under every name of a scope', async () => {
  const { browser } = await signedInBrowser(service)
  await tokensFor(service, browser, app, { scope: 'ServiceID' })
  const again = await browser.get(authorizeUrl(app, { scope: 'galxeid', prompt: 'none' }))
  const code = new URL(String(again.headers.location)).searchParams.get('code') as string
  expect((await redeemCode(service, app, code)).json<Tokens>().scope).toBe('galxeid')
})

it('rejects an unknown scope and lists the aliases', async () => {
  const { browser } = await signedInBrowser(service)
  const refused = await browser.get(authorizeUrl(app, { scope: 'GalxeId2' }))
  const answer = new URL(String(refused.headers.location)).searchParams
  expect(answer.get('error')).toBe('invalid_scope')
  expect(answer.get('error_description')).toMatch(/GalxeId2 does not exist.* ServiceID .*GalxeID Member$/)
})

it('registers an app for a scope under its alias', async () => {
  const { browser } = await signedInBrowser(service)
  const form = { name: 'By alias', purpose: 'Tests', redirectUris: ['https://app.example.com/callback'] }
  const applied = await browser.call('POST', '/api/apps', { ...form, scopes: ['galxeid', 'ServiceID', 'email'] })
  expect(applied.json()).toMatchObject({ scopes: ['ServiceID', 'Email'] })
  const refused = await browser.call('POST', '/api/apps', { ...form, scopes: ['nothing'] })
  expect(refused.json()).toMatchObject({ error: { field: 'scopes.0' } })
})

it('reads the aliases from the configuration', () => {
  const aliasesOf = (text?: string) => loadConfig({ QUESTBOARD_SERVICE_ID_ALIASES: text }).identity.serviceIdAliases
  expect(aliasesOf()).toEqual(['GalxeID'])
  expect(aliasesOf('none')).toEqual([])
  expect(aliasesOf('A, BoardID')).toEqual(['A', 'BoardID'])
  for (const bad of ['discord', 'ServiceID', 'DiscordID', 'Email', 'A,a', 'AID,AUserID', 'a b', '1a', 'a,b,c,d,e,f'])
    expect(() => aliasesOf(bad), bad).toThrow('QUESTBOARD_SERVICE_ID_ALIASES must')
})
