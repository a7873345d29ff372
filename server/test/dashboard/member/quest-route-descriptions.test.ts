import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { importRecords } from '../../../src/ingest/import-records.ts'
import { waitingSessions } from '../../support/database.ts'
import { holdLocks } from '../../support/held.ts'
import { openBrowser } from '../../support/oauth-browser.ts'
import { linkName, linkWallet, type Member, SPACE, startMemberQuests } from '../../claims/member-fixture.ts'

const { service, quest, credential, group, points, inMinutes, member } = await startMemberQuests()
afterAll(() => service.close())

let alice: Member
let id = ''
let counter = 0
beforeEach(async () => {
  alice = await member()
  id = `GCown${counter++}`
})

const claim = (who: Member, body?: object, questId = id) =>
  who.browser.call('POST', `/api/quests/${questId}/claim`, body)
const readiness = (who: Member, query = '', questId = id) => who.browser.get(`/api/quests/${questId}/readiness${query}`)

describe('a member on a page', () => {
  test('completes a quest with the first linked address and gets the points', async () => {
    await quest(id)
    expect((await readiness(alice)).json()).toMatchObject({ state: 'ready', address: alice.address, groups: [] })
    const answer = await claim(alice)
    expect(answer.json()).toEqual({
      status: 'applied',
      completion: { address: alice.address, points: 50, sprintId: null, claimedAt: inMinutes(0) },
    })
    expect(await points(alice.address)).toEqual([{ points: 50 }])
    expect((await readiness(alice)).json()).toMatchObject({
      state: 'completed',
      refusal: null,
      completion: { address: alice.address, points: 50 },
    })
  })

  test('chooses another linked address, and completes a quest once for all of them', async () => {
    await quest(id)
    const second = await linkWallet(alice)
    expect((await readiness(alice, `?address=${second}`)).json()).toMatchObject({ state: 'ready', address: second })
    expect((await claim(alice, { address: `EVM:${second.toUpperCase().replace('0X', '0x')}` })).json()).toMatchObject({
      completion: { address: second },
    })
    expect((await claim(alice, { address: alice.address })).json()).toMatchObject({
      error: { code: 'claim_refused', refusal: { reason: 'ALREADY_CLAIMED', rule: 'one claim', retry: false } },
    })
    expect(await points(alice.address)).toEqual([])
  })

  test('gets the first result for a repeated key, in the body or in the header', async () => {
    await quest(id)
    const first = await claim(alice, { key: 'once' })
    const { browser } = alice
    const again = await browser.send({
      method: 'POST',
      url: `/api/quests/${id}/claim`,
      headers: { 'x-csrf-token': await browser.csrfToken(), 'idempotency-key': 'once' },
      body: {},
    })
    expect(again.json()).toEqual({ ...first.json<object>(), status: 'duplicate' })
    const bob = await member()
    expect((await claim(bob, { key: 'once' })).json()).toMatchObject({ status: 'applied' })
  })

  test('gets a refusal with the rule and the missing conditions', async () => {
    await credential('7001', [])
    await quest(id, { credentialGroups: [group('ALL', '7001')] })
    const answer = await claim(alice)
    expect(answer.statusCode).toBe(409)
    expect(answer.json()).toMatchObject({
      error: {
        code: 'claim_refused',
        message: 'The condition "Hold 7001" of the group "Group ALL" is not met',
        refusal: {
          reason: 'CONDITION_NOT_MET',
          rule: 'conditions',
          retry: true,
          conditions: [{ groupId: 'g-ALL', credentialId: '7001', state: 'not-met' }],
        },
      },
    })
    expect(await points(alice.address)).toEqual([])
  })

  test('completes a quest of another chain only with an address of that chain', async () => {
    await quest(id, { chain: 'SOLANA' })
    expect((await claim(alice)).json()).toMatchObject({
      error: {
        refusal: { reason: 'NO_ADDRESS', rule: 'address' },
        message: 'The account has no linked address of the kind SolanaAddress; link one first',
      },
    })
    expect((await readiness(alice)).json()).toMatchObject({
      state: 'refused',
      address: null,
      addresses: [],
      refusal: { reason: 'NO_ADDRESS' },
    })
    const solana = 'So11111111111111111111111111111111111111112'
    await linkName(service, alice.accountId, 'SolanaAddress', solana)
    expect((await claim(alice)).json()).toMatchObject({ completion: { address: solana } })
  })

  test('does not see quests that are private, Draft or unknown', async () => {
    await quest(id, { isPrivate: true })
    await quest(`${id}d`, { status: 'Draft' })
    for (const ask of [claim, (who: Member, _: unknown, questId: string) => readiness(who, '', questId)]) {
      expect((await ask(alice, {}, id)).statusCode).toBe(403)
      expect((await ask(alice, {}, `${id}d`)).statusCode).toBe(404)
      expect((await ask(alice, {}, 'GCnothing')).statusCode).toBe(404)
      expect((await ask(alice, {}, '%00')).statusCode).toBe(404)
    }
  })
})

describe('attacks', () => {
  test('refuses a claim without a session, without the CSRF token, and with the token of another session', async () => {
    await quest(id)
    const send = (headers: Record<string, string>) =>
      alice.browser.send({ method: 'POST', url: `/api/quests/${id}/claim`, headers, body: {} })
    expect((await send({})).statusCode).toBe(403)
    const stranger = openBrowser(service.fastify)
    expect((await send({ 'x-csrf-token': await stranger.csrfToken() })).statusCode).toBe(403)
    expect((await claim({ ...alice, browser: stranger })).statusCode).toBe(401)
    expect(await points(alice.address)).toEqual([])
  })

  test('refuses an address of another account and of no account in the same way', async () => {
    await quest(id)
    const bob = await member()
    const refusals = []
    for (const address of [bob.address, `0x${'9'.repeat(40)}`, 'not an address']) {
      const answer = await claim(alice, { address })
      expect(answer.statusCode).toBe(409)
      refusals.push({ ...answer.json<{ error: object }>().error, request_id: '' })
    }
    expect(refusals[0]).toMatchObject({ refusal: { reason: 'ADDRESS_NOT_LINKED' } })
    expect(new Set(refusals.map((one) => JSON.stringify(one))).size).toBe(1)
    expect((await readiness(alice, `?address=${bob.address}`)).statusCode).toBe(400)
    expect(await points(bob.address)).toEqual([])
  })

  test('refuses an address that was unlinked while the claim waited', async () => {
    await quest(id)
    const second = await linkWallet(alice)
    const blocker = await holdLocks(service.database.pool, ['SELECT FROM quests WHERE quest_id = $1 FOR UPDATE', [id]])
    const waiting = claim(alice, { address: second })
    await expect.poll(() => waitingSessions(service.database)).toBeGreaterThan(0)
    await service.database.query('DELETE FROM identities WHERE subject = $1', [second])
    await blocker.release()
    expect((await waiting).json()).toMatchObject({ error: { refusal: { reason: 'ADDRESS_NOT_LINKED' } } })
  })

  test.each([
    ['address', { address: '' }],
    ['address', { address: 'x'.repeat(201) }],
    ['address', { address: 5 }],
    ['key', { key: 'a\nb' }],
    ['key', { key: 'k'.repeat(201) }],
    ['accountId', { accountId: 'another' }],
  ])('names the field %s of an invalid body', async (field, body) => {
    await quest(id)
    const answer = await claim(alice, body)
    expect(answer.statusCode).toBe(400)
    expect(answer.json()).toMatchObject({ error: { field } })
  })

  test('limits claims and reads of an account', async () => {
    const statuses = []
    for (let n = 0; n < 61; n++) statuses.push((await claim(alice, {}, 'GCnothing')).statusCode)
    expect(statuses.filter((status) => status === 404)).toHaveLength(60)
    const last = await claim(alice, {}, 'GCnothing')
    expect([last.statusCode, Number(last.headers['retry-after']) > 0]).toEqual([429, true])
    for (let n = 0; n < 120; n++) await readiness(alice, '', 'GCnothing')
    expect((await readiness(alice)).statusCode).toBe(429)
  })
})

describe('readiness', () => {
  test('shows the state of each condition and the identity kind that would help', async () => {
    await credential('7010', [alice.address])
    await credential('7011', [], { credType: 'DISCORD', referenceLink: 'https://discord.example/join' })
    await credential('7012', [])
    await service.database.query(`UPDATE credentials SET sync_status = 'SYNCING' WHERE credential_id = 7012`)
    await quest(id, { credentialGroups: [group('ALL', '7010', '7011'), group('ANY', '7010', '7012')] })
    const answer = (await readiness(alice)).json<{ groups: object[] }>()
    expect(answer).toMatchObject({ state: 'refused', refusal: { reason: 'CONDITION_NOT_MET', rule: 'conditions' } })
    expect(answer.groups).toMatchObject([
      {
        relation: 'ALL',
        met: false,
        conditions: [
          { credential: 'Pass 7010', state: 'met', kind: 'EVMAddress', linked: true },
          { state: 'not-met', kind: 'Discord', linked: false, link: 'https://discord.example/join' },
        ],
      },
      { relation: 'ANY', met: true, conditions: [{ state: 'met' }, { state: 'syncing' }] },
    ])
    await linkName(service, alice.accountId, 'Discord', '80351110224678912')
    await importRecords(service.services, 'holders', [{ credentialId: '7011', address: '80351110224678912' }])
    expect((await readiness(alice)).json()).toMatchObject({ state: 'ready', refusal: null })
  })

  test('shows why a closed quest refuses', async () => {
    await quest(id, { startTime: inMinutes(5) })
    expect((await readiness(alice)).json()).toMatchObject({ refusal: { reason: 'NOT_STARTED', retry: true } })
  })

  test('shows an imported participation as completed without points', async () => {
    await quest(id)
    await importRecords(service.services, 'participants', [{ questId: id, address: alice.address }])
    expect((await readiness(alice)).json()).toMatchObject({
      state: 'completed',
      completion: { address: alice.address, points: null },
    })
  })
})

describe('GET /api/my/quests', () => {
  const list = async (who: Member, query = '') =>
    (await who.browser.get(`/api/my/quests${query}`)).json<{
      list: { quest: { id: string }; state: string; conditions: object }[]
      next: string | null
    }>()
  /** The states of the quests of this test. */
  const statesOf = async (who: Member, query = '?first=50') =>
    Object.fromEntries(
      (await list(who, query)).list
        .filter(({ quest: one }) => one.id.startsWith(`${id}-`))
        .map((one) => [one.quest.id.slice(id.length + 1), one.state]),
    )

  test('lists the quests that are ready, almost ready and completed', async () => {
    await credential('7020', [alice.address])
    await credential('7021', [])
    await credential('7022', [])
    await quest(`${id}-ready`, { credentialGroups: [group('ALL', '7020')] })
    await quest(`${id}-almost`, { credentialGroups: [group('ALL', '7020', '7021')] })
    await quest(`${id}-open`, { credentialGroups: [group('ALL', '7021', '7022'), group('ANY', '7021')] })
    await quest(`${id}-done`)
    await quest(`${id}-private`, { isPrivate: true })
    await quest(`${id}-draft`, { status: 'Draft' })
    await claim(alice, {}, `${id}-done`)
    expect(await statesOf(alice)).toEqual({ ready: 'ready', almost: 'almost', done: 'completed' })
    expect(await statesOf(alice, '?state=open&first=50')).toEqual({ open: 'open' })
    const [almost] = (await list(alice, '?state=almost')).list
    expect(almost?.conditions).toEqual({ needed: 2, met: 1, unknown: 0 })
    await service.database.query(`UPDATE quests SET status = 'Expired' WHERE quest_id = $1`, [`${id}-done`])
    expect((await list(alice, '?state=completed')).list.map(({ quest: one }) => one.id)).toEqual([`${id}-done`])
  })

  test('lists no quest as almost done without a met condition', async () => {
    await credential('7023', [alice.address])
    await credential('7024', [])
    await credential('7025', [])
    await service.database.query(`UPDATE credentials SET sync_status = 'SYNCING' WHERE credential_id IN (7024, 7025)`)
    await quest(`${id}-unknown`, { credentialGroups: [group('ALL', '7024', '7025')] })
    await quest(`${id}-one-met`, { credentialGroups: [group('ALL', '7023', '7024', '7025')] })
    expect(await statesOf(alice)).toEqual({ 'one-met': 'almost' })
    const open = (await list(alice, '?state=open&first=50')).list.find((one) => one.quest.id === `${id}-unknown`)
    expect(open?.conditions).toEqual({ needed: 2, met: 0, unknown: 2 })
  })

  test('pages through all quests once', async () => {
    const bob = await member()
    for (let n = 0; n < 7; n++) await quest(`${id}-${n}`)
    for (const [state, expected] of [
      ['ready', 7],
      ['completed', 3],
    ] as const) {
      const found: string[] = []
      let after = ''
      for (;;) {
        const page = await list(bob, `?state=${state}&first=2${after}`)
        expect(page.list.length).toBeLessThanOrEqual(2)
        found.push(...page.list.map(({ quest: one }) => one.id).filter((one) => one.startsWith(`${id}-`)))
        if (page.next === null) break
        after = `&after=${page.next}`
      }
      expect(new Set(found).size).toBe(found.length)
      expect(found).toHaveLength(expected)
      if (state === 'ready') for (const n of [1, 3, 5]) await claim(bob, {}, `${id}-${n}`)
    }
  })

  test.each([
    ['state', '?state=done'],
    ['first', '?first=51'],
    ['after', '?after=x'],
  ])('names the invalid parameter %s', async (field, query) => {
    const answer = await alice.browser.get(`/api/my/quests${query}`)
    expect([answer.statusCode, answer.json<{ error: { field: string } }>().error.field]).toEqual([400, field])
  })

  test('returns the space of each quest', async () => {
    await quest(`${id}-one`)
    expect((await list(alice, '?first=1')).list[0]).toMatchObject({
      quest: { space: { id: String(SPACE), name: 'Garden' } },
    })
  })
})

describe('GET /api/my/completed-quests', () => {
  const completed = (who: Member, query: string) => who.browser.get(`/api/my/completed-quests?${query}`)

  test('returns the quests that any address of the account has completed', async () => {
    await Promise.all(['one', 'two', 'open'].map((name) => quest(`${id}-${name}`)))
    await claim(alice, {}, `${id}-one`)
    const second = await linkWallet(alice)
    await importRecords(service.services, 'participants', [{ questId: `${id}-two`, address: second }])
    await claim(await member(), {}, `${id}-open`)
    const asked = ['two', 'open', 'one', 'none'].map((name) => `${id}-${name}`)
    expect((await completed(alice, `quests=${asked.join(',')}`)).json()).toEqual({
      completed: [`${id}-two`, `${id}-one`],
    })
  })

  test.each([
    ['no quest', ''],
    ['an empty ID', 'quests=GCa,,GCb'],
    ['more than 50 quests', `quests=${Array.from({ length: 51 }, (_, i) => `GC${i}`).join(',')}`],
  ])('refuses %s', async (_, query) => {
    const answer = await completed(alice, query)
    expect([answer.statusCode, answer.json<{ error: { field: string } }>().error.field]).toEqual([400, 'quests'])
  })
})
