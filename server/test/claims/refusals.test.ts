import { afterAll, expect, test } from 'vitest'
import { applyClaims } from '../../src/claims/apply-claims.ts'
import { type RefusalReason, refusalReasons } from '../../src/claims/refusals.ts'
import { importRecords } from '../../src/ingest/import-records.ts'
import { setSource } from '../../src/sync/set-source.ts'
import { bansFixture } from '../bans/arrange.ts'
import { allow, approvedApp, redeemCode } from '../support/oauth-flow.ts'
import { startUpstream } from '../support/upstream.ts'
import { type Member, SPACE, startMemberQuests } from './member-fixture.ts'

const upstream = await startUpstream((_, response) => void response.writeHead(500).end())
const { service, quest, credential, group, inMinutes, member } = await startMemberQuests({
  settings: { QUESTBOARD_OUTGOING_HOSTS: upstream.host },
})
const { services, database } = service
const { ban } = bansFixture({ database, deps: services })
const app = await approvedApp(service, { scopes: ['EVMAddress', 'quests:claim'] })
afterAll(async () => {
  await service.close()
  await upstream.close()
})

/** Makes the quest refuse the member. @returns what the claim names */
type Arrange = (id: string, who: Member) => Promise<object | void>

const cases: [RefusalReason, Arrange][] = [
  ['QUEST_NOT_ACTIVE', async (id) => void (await quest(id, { status: 'Expired' }))],
  ['NOT_STARTED', async (id) => void (await quest(id, { startTime: inMinutes(5) }))],
  ['ENDED', async (id) => void (await quest(id, { startTime: inMinutes(-9), endTime: inMinutes(-5) }))],
  ['CAP_REACHED', async (id) => void (await quest(id, { cap: 1, participantsCount: 1 }))],
  [
    'BANNED',
    async (id, { address }) => {
      await quest(id)
      await ban({ address })
    },
  ],
  [
    'ALREADY_CLAIMED',
    async (id, { address }) => {
      await quest(id)
      await importRecords(services, 'participants', [{ questId: id, address }])
    },
  ],
  [
    'CONDITION_NOT_MET',
    async (id) => {
      await credential('8001', [])
      await quest(id, { credentialGroups: [group('ALL', '8001')] })
    },
  ],
  [
    'LIST_SYNCING',
    async (id) => {
      await credential('8002', [])
      await database.query(`UPDATE credentials SET sync_status = 'SYNCING' WHERE credential_id = 8002`)
      await quest(id, { credentialGroups: [group('ALL', '8002')] })
    },
  ],
  [
    'SOURCE_UNAVAILABLE',
    async (id) => {
      await credential('8003', [], { credSource: 'API' })
      await setSource(services, '8003', { kind: 'API', url: `${upstream.url}/{address}`, result: '/holds' })
      await quest(id, { credentialGroups: [group('ALL', '8003')] })
    },
  ],
  [
    'POINTS_OUT_OF_RANGE',
    async (id, { address }) => {
      await quest(id)
      await importRecords(services, 'points', [{ spaceId: SPACE, address, points: 2_147_483_600 }])
    },
  ],
  ['NO_ADDRESS', async (id) => void (await quest(id, { chain: 'SOLANA' }))],
  [
    'ADDRESS_NOT_LINKED',
    async (id) => {
      await quest(id)
      return { address: `0x${'9'.repeat(40)}` }
    },
  ],
]

test.each(cases)(
  '%s: members and apps get the same refusal, and the service stores nothing',
  async (reason, arrange) => {
    const who = await member()
    const url = await allow(who.browser, app, { scope: 'quests:claim' })
    const redeemed = await redeemCode(service, app, url.searchParams.get('code') as string)
    const token = redeemed.json<{ access_token: string }>().access_token
    const id = `GCrefused${reason}`
    const body = (await arrange(id, who)) ?? {}
    const stored = async () => database.query('SELECT FROM quest_claims WHERE quest_id = $1', [id])
    const byMember = await who.browser.call('POST', `/api/quests/${id}/claim`, body)
    const byApp = await service.fastify.inject({
      method: 'POST',
      url: `/oauth/api/2/quests/${id}/claim`,
      headers: { authorization: `Bearer ${token}` },
      payload: body,
    })
    const { rule, retry } = refusalReasons[reason]
    expect([byMember.statusCode, byApp.statusCode]).toEqual([409, 409])
    expect(byMember.json()).toMatchObject({ error: { code: 'claim_refused', refusal: { reason, rule, retry } } })
    expect(byApp.json()).toMatchObject({ error: 'claim_refused', refusal: { reason, rule, retry } })
    expect(await stored()).toEqual([])
  },
)

test('QUEST_NOT_FOUND: a quest that was deleted while its claim waited', async () => {
  await quest('GCstays')
  const { address } = await member()
  const claim = (questId: string) => ({ questId, address, answers: new Map<string, never>() })
  const { outcomes } = await database.kysely
    .transaction()
    .execute((trx) => applyClaims(trx, [claim('GCgone'), claim('GCstays')], services))
  expect(outcomes).toMatchObject([
    { status: 'refused', refusal: { reason: 'QUEST_NOT_FOUND' } },
    { status: 'applied', completion: { address } },
  ])
})

test('every reason of members and apps has a case', () => {
  // KEY_USED: their keys have the account as a prefix, so no other account can use them.
  const elsewhere: RefusalReason[] = ['QUEST_NOT_FOUND', 'KEY_USED']
  const known = [...cases.map(([reason]) => reason), ...elsewhere]
  expect(known.toSorted()).toEqual(Object.keys(refusalReasons).toSorted())
})
