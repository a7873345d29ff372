import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { checksummed } from '../../src/addresses/evm-checksum.ts'
import { SECOND } from '../../src/clock.ts'
import { runSync } from '../../src/sync/run-sync.ts'
import { openBrowser } from '../support/oauth-browser.ts'
import { linkWallet, type Member } from '../claims/member-fixture.ts'
import { newUser, PROPOSAL, startVerifications, verify } from './fixture.ts'

const fixture = await startVerifications()
const { service, platforms, upstreams, questOn, memberWith } = fixture
afterAll(() => fixture.close())
beforeEach(() => fixture.reset())

const stateOf = async (who: Member, questId: string) => {
  const { groups } = (await who.browser.get(`/api/quests/${questId}/readiness`)).json<{
    groups: { conditions: { state: string; checkable: boolean; kind: string; linked: boolean }[] }[]
  }>()
  return groups[0]?.conditions[0]
}
const listOf = async (credentialId: string) => {
  const [row] = await service.database.query<{ item_count: number; holders: number }>(
    `SELECT item_count, (SELECT count(*)::int FROM credential_holders h
       WHERE h.credential_id = c.credential_id AND h.generation = c.generation) AS holders
     FROM credentials c WHERE credential_id = $1`,
    [credentialId],
  )
  return [row?.item_count, row?.holders]
}
const errorOf = (response: { statusCode: number; json: <T>() => T }) => {
  const { code, field } = response.json<{ error: { code: string; field?: string } }>().error
  return [response.statusCode, code, ...(field === undefined ? [] : [field])]
}
const vote = (voter: string) => ({
  voter: checksummed(voter),
  created: 1_700_000_000,
  proposal: PROPOSAL,
  space: 'ens.eth',
})

describe('a check of a condition', () => {
  test('adds a member who has joined to the list, who then completes the quest', async () => {
    const user = newUser()
    const alice = await memberWith(['Discord', user])
    const { questId, credentialId } = await questOn('discord')
    expect(await stateOf(alice, questId)).toMatchObject({
      ...{ state: 'not-met', checkable: true, kind: 'Discord', linked: true },
    })
    platforms.discord.members.set(user, [])
    const answer = await verify(alice, questId, { credentialId })
    expect([answer.statusCode, answer.json()]).toEqual([
      200,
      { kind: 'Discord', held: true, checkedAt: new Date(service.clock.now()).toISOString(), listChanged: true },
    ])
    expect(await listOf(credentialId)).toEqual([1, 1])
    expect(await stateOf(alice, questId)).toMatchObject({ state: 'met' })
    const claimed = await alice.browser.call('POST', `/api/quests/${questId}/claim`)
    expect(claimed.json()).toMatchObject({ status: 'applied' })
  })

  test('removes a member who has left from the list', async () => {
    const user = newUser()
    const alice = await memberWith(['Discord', user])
    const { questId, credentialId } = await questOn('discord')
    platforms.discord.members.set(user, [])
    await verify(alice, questId, { credentialId })
    platforms.discord.members.clear()
    service.clock.advance(21 * SECOND)
    const answer = await verify(alice, questId, { credentialId })
    expect(answer.json()).toMatchObject({ held: false, listChanged: true })
    expect(await listOf(credentialId)).toEqual([0, 0])
    expect(await stateOf(alice, questId)).toMatchObject({ state: 'not-met' })
  })

  test('uses the result of the last 20 seconds again', async () => {
    const user = newUser()
    const alice = await memberWith(['Discord', user])
    const { questId, credentialId } = await questOn('discord')
    await verify(alice, questId, { credentialId })
    platforms.discord.members.set(user, [])
    const again = await verify(alice, questId, { credentialId })
    expect([again.json<{ held: boolean }>().held, upstreams.discord.requests.length]).toEqual([false, 1])
    service.clock.advance(21 * SECOND)
    expect((await verify(alice, questId, { credentialId })).json()).toMatchObject({ held: true })
  })

  test('of an address checks the named one, and by default the first one', async () => {
    const alice = await memberWith()
    service.clock.advance(SECOND)
    const second = await linkWallet(alice)
    const { questId, credentialId } = await questOn('snapshot')
    platforms.snapshot.votes.push(vote(second))
    expect((await verify(alice, questId, { credentialId })).json()).toMatchObject({ kind: 'EVMAddress', held: false })
    const named = await verify(alice, questId, { credentialId, address: second })
    expect(named.json()).toMatchObject({ held: true, listChanged: true })
    expect(await listOf(credentialId)).toEqual([1, 1])
  })

  test('replaces the cached result of a source without a list', async () => {
    const alice = await memberWith(['Telegram', '7771'])
    const { questId, credentialId } = await questOn('telegram', { cacheSeconds: 3_600 })
    expect(await stateOf(alice, questId)).toMatchObject({ state: 'not-met', kind: 'Telegram', linked: true })
    platforms.telegram.members.set(7771, { status: 'member' })
    expect(await stateOf(alice, questId)).toMatchObject({ state: 'not-met' })
    service.clock.advance(SECOND)
    const answer = await verify(alice, questId, { credentialId })
    expect(answer.json()).toMatchObject({ kind: 'Telegram', held: true, listChanged: false })
    expect(await stateOf(alice, questId)).toMatchObject({ state: 'met' })
    expect(await listOf(credentialId)).toEqual([0, 0])
  })

  test('survives a run that read the source before', async () => {
    const user = newUser()
    const alice = await memberWith(['Discord', user])
    const { questId, credentialId } = await questOn('discord')
    const { answer } = platforms.discord
    platforms.discord.answer = async (request, response) => {
      if (!request.url.includes('limit=')) return answer(request, response)
      platforms.discord.members.set(user, [])
      expect((await verify(alice, questId, { credentialId })).json()).toMatchObject({ held: true, listChanged: true })
      platforms.discord.members.delete(user)
      await answer(request, response)
    }
    platforms.discord.members.set(newUser(), [])
    await runSync(service.services, credentialId)
    await expect.poll(() => listOf(credentialId)).toEqual([2, 2])
  })

  test('leaves the list as it is if the source cannot decide', async () => {
    const alice = await memberWith(['Github', '31'])
    const { questId, credentialId } = await questOn('github')
    platforms.github.users.set(31, 'alice')
    platforms.github.stars.set(
      31,
      Array.from({ length: 600 }, (_, n) => `other/repository-${n}`),
    )
    const answer = await verify(alice, questId, { credentialId })
    expect(answer.json()).toMatchObject({ held: null, listChanged: false })
    expect(
      await service.database.query('SELECT FROM credential_checks WHERE credential_id = $1', [credentialId]),
    ).toEqual([])
  })
})

describe('the service refuses a check', () => {
  test('without a session or CSRF token', async () => {
    const { questId, credentialId } = await questOn('discord')
    expect((await verify({ browser: openBrowser(service.fastify) }, questId, { credentialId })).statusCode).toBe(401)
    const { browser } = await memberWith()
    const url = `/api/quests/${questId}/verifications`
    expect((await browser.send({ method: 'POST', url, body: { credentialId } })).statusCode).toBe(403)
  })

  test('if the source has no check, or there is no source', async () => {
    const alice = await memberWith()
    await fixture.credential('7101', [])
    await fixture.quest('GCverifyA', { credentialGroups: [fixture.group('ALL', '7101')] })
    expect(errorOf(await verify(alice, 'GCverifyA', { credentialId: '7101' }))).toEqual([409, 'not_checkable'])
    expect(await stateOf(alice, 'GCverifyA')).toMatchObject({ checkable: false })
  })

  test('if no identity of the kind is linked, or the user switched it off', async () => {
    const user = newUser()
    const alice = await memberWith()
    const bob = await memberWith(['Discord', user])
    const { questId, credentialId } = await questOn('discord')
    platforms.discord.members.set(user, [])
    await service.database.query(`UPDATE identities SET use_for_eligibility = false WHERE account_id = $1`, [
      bob.accountId,
    ])
    for (const who of [alice, bob])
      expect(errorOf(await verify(who, questId, { credentialId }))).toEqual([409, 'identity_missing'])
    expect(upstreams.discord.requests).toEqual([])
  })

  test('for an address that is not linked, or that the source does not use', async () => {
    const alice = await memberWith(['Discord', newUser()])
    const bob = await memberWith()
    const voters = await questOn('snapshot')
    const members = await questOn('discord')
    for (const address of [bob.address, 'nothing'])
      expect(errorOf(await verify(alice, voters.questId, { credentialId: voters.credentialId, address }))).toEqual([
        ...[400, 'invalid_argument', 'address'],
      ])
    const body = { credentialId: members.credentialId, address: alice.address }
    expect(errorOf(await verify(alice, members.questId, body))).toEqual([400, 'invalid_argument', 'address'])
    expect([...upstreams.snapshot.requests, ...upstreams.discord.requests]).toEqual([])
  })

  test('for a credential that is no condition of the quest, and for quests that are not visible', async () => {
    const alice = await memberWith(['Discord', newUser()])
    const { questId, credentialId } = await questOn('discord')
    const other = await questOn('discord')
    for (const id of [other.credentialId, '999999', 'x', '1'.repeat(40)])
      expect(errorOf(await verify(alice, questId, { credentialId: id }))).toEqual([404, 'not_found'])
    expect(errorOf(await verify(alice, 'GCnothing', { credentialId }))).toEqual([404, 'not_found'])
    await fixture.quest(questId, { isPrivate: true, credentialGroups: [fixture.group('ALL', credentialId)] })
    expect((await verify(alice, questId, { credentialId })).statusCode).toBe(403)
    expect(upstreams.discord.requests).toEqual([])
  })

  test.each([
    ['credentialId', {}],
    ['credentialId', { credentialId: 7 }],
    ['address', { credentialId: '1', address: '' }],
    ['more', { credentialId: '1', more: true }],
  ])('with the field %s of %j', async (field, body) => {
    const { questId } = await questOn('discord')
    expect(errorOf(await verify(await memberWith(), questId, body))).toEqual([400, 'invalid_argument', field])
  })

  test('while the source does not respond, and stores nothing', async () => {
    const alice = await memberWith(['Discord', newUser()])
    const { questId, credentialId } = await questOn('discord')
    platforms.discord.answer = (_, response) => void response.writeHead(500).end('Traceback: secret of the upstream')
    const answer = await verify(alice, questId, { credentialId })
    expect([...errorOf(answer), answer.headers['retry-after']]).toEqual([503, 'source_unavailable', '30'])
    expect(answer.body).not.toMatch(/Traceback|secret/)
    expect(
      await service.database.query('SELECT FROM credential_checks WHERE credential_id = $1', [credentialId]),
    ).toEqual([])
  })

  test('for everybody while the source asks for a pause', async () => {
    const alice = await memberWith(['Telegram', '7772'])
    const bob = await memberWith(['Telegram', '7773'])
    const { questId, credentialId } = await questOn('telegram')
    platforms.telegram.members.set(7773, { status: 'member' })
    platforms.telegram.limited = 40
    const first = await verify(alice, questId, { credentialId })
    expect([...errorOf(first), first.headers['retry-after']]).toEqual([503, 'source_unavailable', '40'])
    service.clock.advance(30 * SECOND)
    const second = await verify(bob, questId, { credentialId })
    expect([...errorOf(second), second.headers['retry-after']]).toEqual([503, 'source_unavailable', '10'])
    expect(upstreams.telegram.requests).toHaveLength(1)
    service.clock.advance(10 * SECOND)
    expect((await verify(bob, questId, { credentialId })).json()).toMatchObject({ held: true })
  })

  test('while the source cannot be decrypted', async () => {
    const alice = await memberWith(['Discord', newUser()])
    const { questId, credentialId } = await questOn('discord')
    await service.database.query(
      `UPDATE credential_sources SET source = jsonb_set(source, '{sealed}', '"AAAA"') WHERE credential_id = $1`,
      [credentialId],
    )
    expect(errorOf(await verify(alice, questId, { credentialId }))).toEqual([503, 'source_unavailable'])
  })

  test('after 20 checks of an account in a minute', async () => {
    const alice = await memberWith(['Discord', newUser()])
    const { questId, credentialId } = await questOn('discord')
    for (let n = 0; n < 20; n++) expect((await verify(alice, questId, { credentialId })).statusCode).toBe(200)
    const answer = await verify(alice, questId, { credentialId })
    expect([answer.statusCode, Number(answer.headers['retry-after']) > 0]).toEqual([429, true])
    const bob = await memberWith(['Discord', newUser()])
    expect((await verify(bob, questId, { credentialId })).statusCode).toBe(200)
  })

  test('after 120 requests to a source in a minute, by all accounts together', async () => {
    const { questId, credentialId } = await questOn('discord')
    const members = await Promise.all(Array.from({ length: 2 }, () => memberWith(['Discord', newUser()])))
    const first = await verify(members[0] as Member, questId, { credentialId })
    expect(first.statusCode).toBe(200)
    await service.database.query(`UPDATE attempt_windows SET attempts = 120 WHERE name = $1`, [
      `verify-source:${credentialId}`,
    ])
    const refused = await verify(members[1] as Member, questId, { credentialId })
    expect([refused.statusCode, Number(refused.headers['retry-after']) > 0]).toEqual([429, true])
    const other = await questOn('discord')
    expect((await verify(members[1] as Member, other.questId, { credentialId: other.credentialId })).statusCode).toBe(
      200,
    )
    expect(upstreams.discord.requests).toHaveLength(2)
  })
})
