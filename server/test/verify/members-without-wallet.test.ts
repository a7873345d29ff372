import { afterAll, describe, expect, test } from 'vitest'
import { bansFixture } from '../bans/arrange.ts'
import { linkName, linkWallet, type Member, SPACE } from '../claims/member-fixture.ts'
import { confirm, offerOf, signIn } from '../identity/merging.ts'
import { importRecords } from '../../src/ingest/import-records.ts'
import { openBrowser } from '../support/oauth-browser.ts'
import { ISSUER } from '../support/oauth-service.ts'
import { testPasskey } from '../support/oauth-passkey.ts'
import { answer, errorOf, QUIZ, RIGHT, startActs, TARGET } from './act-fixture.ts'

const { service, questOn, holders, points, credential, quest, group } = await startActs()
const { ban } = bansFixture({ deps: service.services, database: service.database })
afterAll(() => service.close())

/** A member who has created an account with a passkey, and has linked nothing. */
async function passkeyMember(): Promise<Pick<Member, 'browser' | 'accountId'>> {
  const browser = openBrowser(service.fastify)
  const passkey = testPasskey({ origin: ISSUER, rpId: 'id.questboard.test' })
  const asked = { kind: 'ServiceID', purpose: 'sign-in' }
  const { id, webauthn } = (await browser.call('POST', '/api/challenges', asked)).json<{
    id: string
    webauthn: { creation: { challenge: string } }
  }>()
  const proof = passkey.register(webauthn.creation)
  const session = await browser.call('POST', `/api/challenges/${id}/proof`, proof)
  return { browser, accountId: session.json<{ account: { id: string } }>().account.id }
}

const readinessOf = async ({ browser }: Pick<Member, 'browser'>, questId: string) =>
  (await browser.get(`/api/quests/${questId}/readiness`)).json<{
    state: string
    address: string | null
    addresses: object[]
    refusal: { reason: string } | null
    groups: { conditions: { state: string; linked: boolean }[] }[]
  }>()
const addressOf = async (member: Pick<Member, 'browser'>, questId: string) =>
  (await readinessOf(member, questId)).address ?? ''
const claim = ({ browser }: Pick<Member, 'browser'>, questId: string, body?: object) =>
  browser.call('POST', `/api/quests/${questId}/claim`, body)

async function visit({ browser }: Pick<Member, 'browser'>, { questId, credentialId }: Record<string, string>) {
  const asked = await browser.call('POST', `/api/quests/${questId}/visits/${credentialId}`, {})
  expect([asked.statusCode, asked.body]).toEqual([200, expect.any(String)])
  return browser.get(asked.json<{ url: string }>().url.replace(service.services.site.issuer, ''))
}

describe('a member without a wallet', () => {
  test('passes a quiz, completes its quest, and is on the board with an address that is not the ID of the account', async () => {
    const bob = await passkeyMember()
    const asked = await questOn(QUIZ)
    const address = await addressOf(bob, asked.questId)
    expect(address).toMatch(/^[0-9a-f-]{36}$/)
    expect(address).not.toBe(bob.accountId)
    expect(await readinessOf(bob, asked.questId)).toMatchObject({
      state: 'refused',
      address,
      addresses: [{ kind: 'AccountAddress', address }],
      refusal: { reason: 'CONDITION_NOT_MET' },
      groups: [{ conditions: [{ state: 'not-met', linked: true }] }],
    })
    expect((await answer(bob, asked, RIGHT)).json()).toMatchObject({ passed: true, kind: 'AccountAddress' })
    expect(await holders(asked.credentialId)).toEqual([address])
    expect((await readinessOf(bob, asked.questId)).state).toBe('ready')
    expect((await claim(bob, asked.questId)).json()).toMatchObject({
      status: 'applied',
      completion: { address: address, points: 50 },
    })
    expect(await points(address)).toEqual([{ points: 50 }])
    const ranks = (await bob.browser.get('/api/my/ranks')).json<{ list: object[] }>().list
    expect(ranks).toMatchObject([{ address: address, rank: 1, points: 50 }])
    expect((await bob.browser.get(`/api/my/points/${SPACE}`)).json()).toMatchObject({ list: [{ amount: 50 }] })
  })

  test('visits a page, and meets a condition for a platform account', async () => {
    const bob = await passkeyMember()
    await linkName(service, bob.accountId, 'Discord', '4711')
    const asked = await questOn({ kind: 'VISIT_LINK', target: TARGET }, { credType: 'SOLANA_ADDRESS' })
    expect((await visit(bob, asked)).statusCode).toBe(303)
    const address = await addressOf(bob, asked.questId)
    expect(await holders(asked.credentialId)).toEqual([address])
    await credential('7801', ['4711'], { credType: 'DISCORD' })
    await quest('GCboth', { credentialGroups: [group('ALL', asked.credentialId, '7801')] })
    expect(await readinessOf(bob, 'GCboth')).toMatchObject({ state: 'ready', address })
  })

  test('keeps what the account passed after a wallet is linked, which is used first', async () => {
    const bob = await passkeyMember()
    const asked = await questOn(QUIZ)
    await answer(bob, asked, RIGHT)
    const address = await addressOf(bob, asked.questId)
    const wallet = await linkWallet(bob)
    expect(await readinessOf(bob, asked.questId)).toMatchObject({
      state: 'ready',
      address: wallet,
      addresses: [
        { kind: 'EVMAddress', address: wallet },
        { kind: 'AccountAddress', address },
      ],
    })
    expect((await claim(bob, asked.questId, { address })).statusCode).toBe(200)
    expect(errorOf(await claim(bob, asked.questId, { address: wallet }))).toEqual([409, 'claim_refused'])
  })

  test('cannot complete a quest of a chain', async () => {
    const bob = await passkeyMember()
    await quest('GCchain', { chain: 'ETHEREUM' })
    expect(await readinessOf(bob, 'GCchain')).toMatchObject({ addresses: [], refusal: { reason: 'NO_ADDRESS' } })
  })

  test('still needs an account of a platform for a quiz of that platform', async () => {
    const bob = await passkeyMember()
    const asked = await questOn(QUIZ, { credType: 'GITHUB' })
    const { groups } = await readinessOf(bob, asked.questId)
    expect(groups[0]?.conditions[0]?.linked).toBe(false)
    expect(errorOf(await answer(bob, asked, RIGHT))).toEqual([409, 'identity_missing'])
  })

  test('is banned with the account', async () => {
    const bob = await passkeyMember()
    await quest('GCbanned')
    const address = await addressOf(bob, 'GCbanned')
    await ban({ account: bob.accountId })
    expect(await readinessOf(bob, 'GCbanned')).toMatchObject({ refusal: { reason: 'BANNED' } })
    const rows = await service.database.query('SELECT address FROM ban_addresses WHERE address = $1', [address])
    expect(rows).toHaveLength(1)
  })

  test('cannot complete a quest again with the wallet of a merged account', async () => {
    const bob = await passkeyMember()
    await quest('GCmerged')
    expect((await claim(bob, 'GCmerged')).statusCode).toBe(200)
    const other = await signIn(service)
    const offer = await offerOf(bob.browser, other.account.wallet)
    expect((await confirm(bob.browser, offer.id)).statusCode).toBe(200)
    const wallet = other.account.wallet.address.toLowerCase()
    expect(errorOf(await claim(bob, 'GCmerged', { address: wallet }))).toEqual([409, 'claim_refused'])
  })

  test('stays on a list that is exported and imported again', async () => {
    const bob = await passkeyMember()
    const asked = await questOn(QUIZ)
    await answer(bob, asked, RIGHT)
    const address = await addressOf(bob, asked.questId)
    await service.database.query('DELETE FROM credential_holders WHERE credential_id = $1', [asked.credentialId])
    await service.database.query('UPDATE credentials SET item_count = 0 WHERE credential_id = $1', [asked.credentialId])
    await importRecords(service.services, 'holders', [{ credentialId: asked.credentialId, address }])
    expect(await holders(asked.credentialId)).toEqual([address])
  })
})

test('a member with a wallet of another kind passes a quiz and a visit with an own address', async () => {
  const eve = await passkeyMember()
  await linkName(service, eve.accountId, 'SolanaAddress', 'FvwEAhmxKfeiG8SnEvq42hc6whRyY3EFYAvebMqDNDGC')
  for (const source of [QUIZ, { kind: 'VISIT_LINK', target: TARGET }]) {
    const asked = await questOn(source)
    const { groups } = await readinessOf(eve, asked.questId)
    expect(groups[0]?.conditions[0]).toMatchObject({ state: 'not-met', linked: true })
    if (source === QUIZ) expect((await answer(eve, asked, RIGHT)).json()).toMatchObject({ passed: true })
    else expect((await visit(eve, asked)).statusCode).toBe(303)
    expect((await readinessOf(eve, asked.questId)).state).toBe('ready')
    expect((await claim(eve, asked.questId)).statusCode).toBe(200)
  }
})
