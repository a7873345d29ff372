import { afterAll, describe, expect, test } from 'vitest'
import { bansFixture } from '../bans/arrange.ts'
import { linkName, linkWallet, type Member, SPACE } from './member-fixture.ts'
import { confirm, offerOf, signIn } from '../identity/merging.ts'
import { addAccountAddress } from '../../src/accounts/account.queries.ts'
import { importRecords } from '../../src/ingest/import-records.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { eraseAccount } from '../../src/personal-data/erase-account.ts'
import { eraseAddress } from '../../src/personal-data/erase-address.ts'
import { exportPerson } from '../../src/personal-data/export-person.ts'
import { approvedApp, authorizeUrl, tokenDetail, tokensFor, userData } from '../support/oauth-flow.ts'
import { openBrowser } from '../support/oauth-browser.ts'
import { ISSUER } from '../support/oauth-service.ts'
import { testPasskey } from '../support/oauth-passkey.ts'
import { answer, errorOf, QUIZ, RIGHT, startActs, TARGET } from '../verify/act-fixture.ts'

const { service, questOn, holders, points, credential, quest, group } = await startActs()
const { ban } = bansFixture({ deps: service.services, database: service.database })
afterAll(() => service.close())

/** A ledger that explains the boards of its space. */
const INTACT = {
  entries: expect.toSatisfy((count: number) => count > 0) as number,
  chains: { count: 0 },
  balances: { count: 0 },
}

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

/** A member with an EVM wallet whose own address is on the list of a quiz for Solana addresses. */
async function memberOfSolanaQuiz() {
  const { browser, account } = await signIn(service)
  const asked = await questOn(QUIZ, { credType: 'SOLANA_ADDRESS' })
  await answer({ browser }, asked, RIGHT)
  const [own = ''] = await holders(asked.credentialId)
  return { browser, wallet: account.wallet, own, quizId: asked.questId }
}

const readinessOf = async ({ browser }: Pick<Member, 'browser'>, questId: string) =>
  (await browser.get(`/api/quests/${questId}/readiness`)).json<{
    state: string
    address: string | null
    addresses: { kind: string; address: string }[]
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

const takeQuiz = (member: Pick<Member, 'browser'>, asked: Parameters<typeof answer>[1]) => answer(member, asked, RIGHT)

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

  test('shares a ban of the account', async () => {
    const bob = await passkeyMember()
    await quest('GCbanned')
    const address = await addressOf(bob, 'GCbanned')
    await ban({ account: bob.accountId })
    expect(await readinessOf(bob, 'GCbanned')).toMatchObject({ refusal: { reason: 'BANNED' } })
    const rows = await service.database.query('SELECT address FROM ban_addresses WHERE address = $1', [address])
    expect(rows).toHaveLength(1)
  })

  test('survives a merge, with what it completed, and stays the first own address', async () => {
    const bob = await passkeyMember()
    const other = await memberOfSolanaQuiz()
    // It is after every other address in the order of the text.
    const own = 'ffffffff-ffff-4fff-bfff-ffffffffffff'
    await service.database.kysely.transaction().execute((trx) => addAccountAddress(trx, bob.accountId, own))
    await quest('GCmerged')
    expect((await claim({ browser: other.browser }, 'GCmerged', { address: other.own })).statusCode).toBe(200)
    // As for a completion that a system of the team sent: only the address leads to the account.
    await service.database.query(`UPDATE quest_claims SET account_id = NULL WHERE quest_id = 'GCmerged'`)
    const offer = await offerOf(bob.browser, other.wallet)
    expect((await confirm(bob.browser, offer.id)).statusCode).toBe(200)
    expect(await readinessOf(bob, 'GCmerged')).toMatchObject({
      state: 'completed',
      addresses: [
        { kind: 'EVMAddress' },
        { kind: 'AccountAddress', address: own },
        { kind: 'AccountAddress', address: other.own },
      ],
    })
    expect(errorOf(await claim(bob, 'GCmerged', { address: own }))).toEqual([409, 'claim_refused'])
    expect((await readinessOf(bob, other.quizId)).state).toBe('ready')
    expect(await verifyLedger(service.database.kysely, SPACE)).toMatchObject(INTACT)
  })

  test('survives a second merge', async () => {
    const bob = await passkeyMember()
    const [first, second] = [await memberOfSolanaQuiz(), await memberOfSolanaQuiz()]
    const between = await offerOf(second.browser, first.wallet)
    expect((await confirm(second.browser, between.id)).statusCode).toBe(200)
    const offer = await offerOf(bob.browser, second.wallet)
    expect((await confirm(bob.browser, offer.id)).statusCode).toBe(200)
    for (const { quizId } of [first, second]) expect((await readinessOf(bob, quizId)).state).toBe('ready')
    const { addresses } = await readinessOf(bob, first.quizId)
    expect(addresses.map(({ address }) => address)).toEqual(expect.arrayContaining([first.own, second.own]))
  })

  test('stays the same when the last wallet is unlinked', async () => {
    const bob = await passkeyMember()
    const asked = await questOn(QUIZ)
    const address = await addressOf(bob, asked.questId)
    const wallet = await linkWallet(bob)
    const body = { kind: 'EVMAddress', subject: wallet }
    expect((await bob.browser.call('DELETE', '/api/identities', body)).statusCode).toBe(200)
    expect((await readinessOf(bob, asked.questId)).addresses).toEqual([{ kind: 'AccountAddress', address }])
  })

  test('appears when the last wallet is unlinked, and does not get its points', async () => {
    const bob = await passkeyMember()
    const wallet = await linkWallet(bob)
    await quest('GCunlinked')
    expect((await claim(bob, 'GCunlinked')).json()).toMatchObject({ completion: { address: wallet } })
    const body = { kind: 'EVMAddress', subject: wallet }
    expect((await bob.browser.call('DELETE', '/api/identities', body)).statusCode).toBe(200)
    const address = await addressOf(bob, (await questOn(QUIZ)).questId)
    expect(address).toMatch(/^[0-9a-f-]{36}$/)
    expect([await points(wallet), await points(address)]).toEqual([[{ points: 50 }], []])
  })

  test('stays on boards without a link to the account when the account is deleted, until it is erased', async () => {
    const bob = await passkeyMember()
    await quest('GCdeleted')
    const address = await addressOf(bob, 'GCdeleted')
    await claim(bob, 'GCdeleted')
    const { site, clock } = service.services
    const exported = await exportPerson(service.database.kysely, { accountId: bob.accountId }, clock.now(), site)
    expect(exported?.addresses).toEqual([address])
    await eraseAccount(service.services, bob.accountId)
    const tables = await service.database.query<{ table: string }>(
      `SELECT DISTINCT table_name AS table FROM information_schema.columns JOIN information_schema.tables
         USING (table_schema, table_name)
       WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND column_name LIKE '%account_id'`,
    )
    expect(tables.length).toBeGreaterThan(20)
    for (const { table } of tables) {
      const linked = await service.database.query(
        `SELECT FROM ${table} t WHERE strpos(t::text, $1) > 0 AND strpos(t::text, $2) > 0`,
        [address, bob.accountId],
      )
      expect(linked, table).toEqual([])
    }
    expect(await points(address)).toEqual([{ points: 50 }])
    await eraseAddress(service.services, address)
    expect(await points(address)).toEqual([])
    expect(await verifyLedger(service.database.kysely, SPACE)).toMatchObject(INTACT)
  })

  test('is not an identity that apps can get, and shows an app only where points went', async () => {
    const bob = await passkeyMember()
    await quest('GCapp')
    const address = await addressOf(bob, 'GCapp')
    const app = await approvedApp(service, { scopes: ['openid', 'quests:claim'], subjectType: 'pairwise' })
    const unknown = await bob.browser.get(authorizeUrl(app, { scope: 'AccountAddress' }))
    expect(unknown.headers.location).toContain('error=invalid_scope')
    const { access_token } = await tokensFor(service, bob.browser, app, { scope: 'openid quests:claim' })
    for (const response of [await userData(service, access_token), await tokenDetail(service, access_token)]) {
      expect(response.statusCode).toBe(200)
      expect(response.body).not.toContain(address)
      expect(response.body).not.toContain(bob.accountId)
    }
    const completed = await service.fastify.inject({
      method: 'POST',
      url: '/oauth/api/2/quests/GCapp/claim',
      headers: { authorization: `Bearer ${access_token}` },
      payload: {},
    })
    expect(completed.json()).toMatchObject({ status: 'applied', address })
  })

  test('can appear in an imported list of holders', async () => {
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

test.each([
  { act: 'a quiz', source: QUIZ, wallet: 'FvwEAhmxKfeiG8SnEvq42hc6whRyY3EFYAvebMqDNDGC', take: takeQuiz },
  {
    act: 'a visit',
    source: { kind: 'VISIT_LINK', target: TARGET },
    wallet: '11111111111111111111111111111112',
    take: visit,
  },
])('a member with a wallet of another kind passes $act with an own address', async ({ source, wallet, take }) => {
  const eve = await passkeyMember()
  await linkName(service, eve.accountId, 'SolanaAddress', wallet)
  const asked = await questOn(source)
  const { groups } = await readinessOf(eve, asked.questId)
  expect(groups[0]?.conditions[0]).toMatchObject({ state: 'not-met', linked: true })
  expect((await take(eve, asked)).statusCode).toBeLessThan(400)
  expect(await holders(asked.credentialId)).toEqual([expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f-]{27}$/)])
  expect((await readinessOf(eve, asked.questId)).state).toBe('ready')
  expect((await claim(eve, asked.questId)).statusCode).toBe(200)
})
