import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { linkWallet, type Member, startMemberQuests } from '../claims/member-fixture.ts'
import { allow, approvedApp, authorizeUrl, redeemCode, requestIdOf, type TestApp } from '../support/oauth-flow.ts'

const { service, quest, credential, group, points, inMinutes, member } = await startMemberQuests()
const scopes = ['EVMAddress', 'quests:claim']
const app = await approvedApp(service, { scopes })
afterAll(() => service.close())

let alice: Member
let id = ''
let counter = 0
beforeEach(async () => {
  alice = await member()
  id = `GCapp${counter++}`
  await quest(id)
})

async function tokenOf(
  { browser }: Member,
  scope = 'quests:claim',
  { identities, of = app }: { identities?: Record<string, string>; of?: TestApp } = {},
): Promise<string> {
  const url = await allow(browser, of, { scope }, identities)
  const response = await redeemCode(service, of, url.searchParams.get('code') as string)
  return response.json<{ access_token: string }>().access_token
}

const claim = (token: string | undefined, body: object = {}, { questId = id, headers = {} } = {}) =>
  service.fastify.inject({
    method: 'POST',
    url: `/oauth/api/2/quests/${questId}/claim`,
    headers: { ...(token !== undefined && { authorization: `Bearer ${token}` }), ...headers },
    payload: body,
  })

describe('an app with the scope quests:claim', () => {
  test('completes a quest for its user', async () => {
    const token = await tokenOf(alice)
    const answer = await claim(token)
    expect([answer.statusCode, answer.json()]).toEqual([
      200,
      { status: 'applied', address: alice.address, points: 50, sprint_id: null, claimed_at: inMinutes(0) },
    ])
    expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', 'access-control-allow-origin': '*' })
    expect(await points(alice.address)).toEqual([{ points: 50 }])
  })

  test('gets the response of docs/oauth.md for its request', async () => {
    const page = await readFile(join(import.meta.dirname, '../../../docs/oauth.md'), 'utf8')
    const [, command = '', shown = ''] = /```sh\n(curl [^`]*\/claim[^`]*)```[^`]*```json\n([^`]*)```/.exec(page) ?? []
    const key = /Idempotency-Key: ([^']*)'/.exec(command)?.[1] ?? ''
    expect(command).toContain('/oauth/api/2/quests/GCgarden01/claim')
    const answer = await claim(await tokenOf(alice), {}, { headers: { 'idempotency-key': key } })
    expect(answer.json()).toEqual({
      ...(JSON.parse(shown) as object),
      address: alice.address,
      claimed_at: inMinutes(0),
    })
  })

  test('gets the first result for a repeated key, for each user and app separately', async () => {
    const token = await tokenOf(alice)
    const first = (await claim(token, { key: 'order-1' })).json<object>()
    expect((await claim(token, {}, { headers: { 'idempotency-key': 'order-1' } })).json()).toEqual({
      ...first,
      status: 'duplicate',
    })
    expect((await claim(token, { key: 'order-2' })).statusCode).toBe(409)
    const bob = await member()
    expect((await claim(await tokenOf(bob), { key: 'order-1' })).json()).toMatchObject({ status: 'applied' })
    const other = await approvedApp(service, { scopes })
    const answer = await claim(await tokenOf(alice, 'quests:claim', { of: other }), { key: 'order-1' })
    expect(answer.json()).toMatchObject({ error: 'claim_refused', refusal: { reason: 'ALREADY_CLAIMED' } })
  })

  test('accepts a form, and the address that the user shares', async () => {
    const second = await linkWallet(alice)
    const token = await tokenOf(alice, 'EVMAddress quests:claim', { identities: { EVMAddress: second } })
    const answer = await service.fastify.inject({
      method: 'POST',
      url: `/oauth/api/2/quests/${id}/claim`,
      headers: { access_token: token, 'content-type': 'application/x-www-form-urlencoded' },
      payload: `address=${second}&key=k`,
    })
    expect(answer.json()).toMatchObject({ status: 'applied', address: second })
  })

  test('uses the shared address by default', async () => {
    const second = await linkWallet(alice)
    const token = await tokenOf(alice, 'EVMAddress quests:claim', { identities: { EVMAddress: second } })
    expect((await claim(token)).json()).toMatchObject({ address: second })
  })

  test('gets the rule and the missing conditions of a refusal', async () => {
    await credential('7101', [])
    await quest(id, { credentialGroups: [group('ANY', '7101')] })
    const answer = await claim(await tokenOf(alice))
    expect([answer.statusCode, answer.json()]).toEqual([
      409,
      {
        error: 'claim_refused',
        error_description: "The condition 'Hold 7101' of the group 'Group ANY' is not met",
        refusal: {
          reason: 'CONDITION_NOT_MET',
          rule: 'conditions',
          retry: true,
          conditions: [
            {
              groupId: 'g-ANY',
              group: 'Group ANY',
              expression: 'Hold 7101',
              credentialId: '7101',
              state: 'not-met',
            },
          ],
        },
      },
    ])
  })

  test('finds the scope in the metadata and on the consent page, and gets no user data for it', async () => {
    const metadata = await service.fastify.inject('/.well-known/oauth-authorization-server')
    expect(metadata.json<{ scopes_supported: string[] }>().scopes_supported).toContain('quests:claim')
    const started = await alice.browser.get(authorizeUrl(app, { scope: 'Quests:Claim' }))
    const view = await alice.browser.get(`/api/authorizations/${requestIdOf(started)}`)
    expect(view.json<{ scopes: object[] }>().scopes).toEqual([
      { scope: 'quests:claim', identities: [], picked: null, missing: false, link: [] },
    ])
    const token = await tokenOf(alice)
    const data = await service.fastify.inject({ url: '/oauth/api/2/user', headers: { access_token: token } })
    expect([data.statusCode, data.json()]).toEqual([200, {}])
  })
})

describe('attacks', () => {
  test('refuses a token without the scope, and asks for a new consent before the scope is added', async () => {
    const token = await tokenOf(alice, 'EVMAddress')
    const answer = await claim(token)
    expect([answer.statusCode, answer.json<{ error: string }>().error]).toEqual([403, 'insufficient_scope'])
    expect(answer.headers['www-authenticate']).toContain('scope="quests:claim"')
    const started = await alice.browser.get(authorizeUrl(app, { scope: 'EVMAddress quests:claim' }))
    expect(started.headers.location).toContain('/authorize/')
    const silent = await alice.browser.get(authorizeUrl(app, { scope: 'EVMAddress quests:claim', prompt: 'none' }))
    expect(silent.headers.location).toContain('error=consent_required')
    expect(await points(alice.address)).toEqual([])
  })

  test('refuses an app that was not approved for the scope, also after its approval was narrowed', async () => {
    const narrow = await approvedApp(service, { scopes: ['EVMAddress'] })
    const started = await alice.browser.get(authorizeUrl(narrow, { scope: 'quests:claim' }))
    expect(started.headers.location).toContain('error=invalid_scope')
    const wide = await approvedApp(service, { scopes })
    const token = await tokenOf(alice, 'quests:claim', { of: wide })
    await service.database.query(`UPDATE apps SET scopes = '{EVMAddress}' WHERE client_id = $1`, [wide.clientId])
    expect((await claim(token)).statusCode).toBe(403)
  })

  test('refuses a missing, wrong, revoked or URL-borne token', async () => {
    expect((await claim(undefined)).statusCode).toBe(401)
    expect((await claim('qbu_nothing')).statusCode).toBe(401)
    const token = await tokenOf(alice)
    const inUrl = await service.fastify.inject({
      method: 'POST',
      url: `/oauth/api/2/quests/${id}/claim?access_token=${token}`,
    })
    expect(inUrl.statusCode).toBe(400)
    await alice.browser.call('DELETE', `/api/authorized-apps/${app.clientId}`)
    expect((await claim(token)).statusCode).toBe(401)
    expect(await points(alice.address)).toEqual([])
  })

  test('refuses addresses that are not linked and addresses that are not shared in the same way', async () => {
    const hidden = await linkWallet(alice)
    const bob = await member()
    const token = await tokenOf(alice, 'EVMAddress quests:claim', { identities: { EVMAddress: alice.address } })
    const answers = []
    for (const address of [hidden, bob.address, 'not an address'])
      answers.push((await claim(token, { address })).json())
    expect(answers[0]).toMatchObject({ error: 'claim_refused', refusal: { reason: 'ADDRESS_NOT_LINKED' } })
    expect(new Set(answers.map((one) => JSON.stringify(one))).size).toBe(1)
    expect(await service.database.query('SELECT FROM quest_claims WHERE quest_id = $1', [id])).toEqual([])
  })

  test.each([
    ['accountId', { accountId: 'x' }],
    ['key', { key: 'a\tb' }],
    ['key', { key: 'k'.repeat(201) }],
  ])('names the parameter %s of an invalid body', async (name, body) => {
    const answer = await claim(await tokenOf(alice), body)
    expect(answer.statusCode).toBe(400)
    expect(answer.json()).toMatchObject({ error: 'invalid_request' })
    expect(answer.json<{ error_description: string }>().error_description).toContain(name)
  })

  test('refuses unknown, hidden and private quests', async () => {
    const token = await tokenOf(alice)
    await quest(id, { isPrivate: true })
    await quest(`${id}d`, { status: 'Draft' })
    expect((await claim(token)).statusCode).toBe(403)
    expect((await claim(token, {}, { questId: `${id}d` })).statusCode).toBe(404)
    expect((await claim(token, {}, { questId: 'a b' })).statusCode).toBe(404)
  })

  test('limits the claims of a user over all apps', async () => {
    const token = await tokenOf(alice)
    for (let n = 0; n < 60; n++) await claim(token, {}, { questId: 'GCnothing' })
    const answer = await claim(token)
    expect([answer.statusCode, Number(answer.headers['retry-after']) > 0]).toEqual([429, true])
  })
})
