import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { checksummed } from '../../src/addresses/evm-checksum.ts'
import { linkWallet, type Member } from '../claims/member-fixture.ts'
import { allow, approvedApp, redeemCode } from '../support/oauth-flow.ts'
import { authorizeUrl } from '../support/oauth-flow.ts'
import { newUser, PROPOSAL, startVerifications } from '../verify/fixture.ts'

const fixture = await startVerifications()
const { service, platforms, upstreams, questOn, memberWith } = fixture
const app = await approvedApp(service, { scopes: ['EVMAddress', 'quests:claim'] })
afterAll(() => fixture.close())
beforeEach(() => fixture.reset())

async function tokenOf({ browser }: Member, scope = 'quests:claim', identities?: Record<string, string>) {
  const url = await allow(browser, app, { scope }, identities)
  const response = await redeemCode(service, app, url.searchParams.get('code') as string)
  return response.json<{ access_token: string }>().access_token
}

const verify = (token: string | undefined, questId: string, payload: object) =>
  service.fastify.inject({
    method: 'POST',
    url: `/oauth/api/2/quests/${questId}/verifications`,
    headers: { ...(token !== undefined && { authorization: `Bearer ${token}` }) },
    payload,
  })

describe('an app with the scope quests:claim', () => {
  test('checks a condition for its user, as docs/oauth.md shows', async () => {
    const user = newUser()
    const alice = await memberWith(['Discord', user])
    const { questId, credentialId } = await questOn('discord')
    platforms.discord.members.set(user, [])
    const answer = await verify(await tokenOf(alice), questId, { credential_id: credentialId })
    expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', 'access-control-allow-origin': '*' })
    const page = await readFile(join(import.meta.dirname, '../../../docs/oauth.md'), 'utf8')
    const [, shown = ''] = /```sh\ncurl [^`]*\/verifications[^`]*```[^`]*```json\n([^`]*)```/.exec(page) ?? []
    expect([answer.statusCode, answer.json()]).toEqual([
      200,
      { ...(JSON.parse(shown) as object), checked_at: new Date(service.clock.now()).toISOString() },
    ])
  })

  test('checks an address that the user shares, and refuses others in the same way', async () => {
    const alice = await memberWith()
    const [second, hidden] = [await linkWallet(alice), await linkWallet(alice)]
    const { questId, credentialId } = await questOn('snapshot')
    for (const voter of [second, hidden])
      platforms.snapshot.votes.push({ voter: checksummed(voter), created: 1, proposal: PROPOSAL, space: 'ens.eth' })
    const token = await tokenOf(alice, 'EVMAddress quests:claim', { EVMAddress: second })
    const shared = await verify(token, questId, { credential_id: credentialId, address: second })
    expect(shared.json()).toMatchObject({ kind: 'EVMAddress', held: true, list_changed: true })
    const answers = []
    for (const address of [hidden, '0x52908400098527886e0f7030069857d2e4169ee7', 'nothing'])
      answers.push((await verify(token, questId, { credential_id: credentialId, address })).body)
    expect(new Set(answers).size).toBe(1)
    expect(answers[0]).toMatch(/"invalid_request".*address must be a linked identity/)
    expect(upstreams.snapshot.requests).toHaveLength(1)
  })
})

describe('the service refuses a check of an app', () => {
  test('without a token, or without the scope', async () => {
    const alice = await memberWith()
    const { questId, credentialId } = await questOn('discord')
    const body = { credential_id: credentialId }
    expect((await verify(undefined, questId, body)).statusCode).toBe(401)
    const answer = await verify(await tokenOf(alice, 'EVMAddress'), questId, body)
    expect([answer.statusCode, answer.json<{ error: string }>().error]).toEqual([403, 'insufficient_scope'])
    const started = await alice.browser.get(authorizeUrl(app, { scope: 'EVMAddress quests:claim' }))
    expect(started.headers.location).toContain('/authorize/')
  })

  test.each([
    ['credential_id', {}],
    ['key', { credential_id: '1', key: 'k' }],
  ])('with the parameter %s of %j', async (name, body) => {
    const { questId } = await questOn('discord')
    const answer = await verify(await tokenOf(await memberWith()), questId, body)
    expect([answer.statusCode, answer.json()]).toMatchObject([400, { error: 'invalid_request' }])
    expect(answer.body).toContain(name)
  })

  test('with the reason of a condition that cannot be checked', async () => {
    const token = await tokenOf(await memberWith())
    const { questId, credentialId } = await questOn('discord')
    const answer = await verify(token, questId, { credential_id: credentialId })
    expect([answer.statusCode, answer.json()]).toMatchObject([409, { error: 'identity_missing' }])
    const unknown = await verify(token, questId, { credential_id: '999999' })
    expect([unknown.statusCode, unknown.json()]).toMatchObject([404, { error: 'invalid_request' }])
  })

  test('with the time to retry while the source does not respond', async () => {
    const alice = await memberWith(['Telegram', '7774'])
    const { questId, credentialId } = await questOn('telegram')
    platforms.telegram.limited = 40
    const answer = await verify(await tokenOf(alice), questId, { credential_id: credentialId })
    expect([answer.statusCode, answer.headers['retry-after'], answer.json()]).toMatchObject([
      503,
      '40',
      { error: 'temporarily_unavailable' },
    ])
  })

  test('after 20 checks in a minute, over all apps and the pages', async () => {
    const alice = await memberWith(['Discord', newUser()])
    const { questId, credentialId } = await questOn('discord')
    const token = await tokenOf(alice)
    for (let n = 0; n < 20; n++) await verify(token, questId, { credential_id: credentialId })
    const answer = await verify(token, questId, { credential_id: credentialId })
    expect([answer.statusCode, Number(answer.headers['retry-after']) > 0]).toEqual([429, true])
    const page = `/api/quests/${questId}/verifications`
    expect((await alice.browser.call('POST', page, { credentialId })).statusCode).toBe(429)
  })
})
