import { afterAll, beforeEach, expect, test } from 'vitest'
import { applyClaims, type ClaimOutcome, type QuestClaim } from '../../src/claims/apply-claims.ts'
import { importRecords } from '../../src/ingest/import-records.ts'
import { startService } from '../support/service.ts'
import { address, claimsFixture, SPACE } from './arrange.ts'

const service = await startService()
const { database, deps } = service
const { reset, credential, group } = await claimsFixture(service)
beforeEach(reset)
afterAll(() => service.stop())

/** Applies claims in one transaction, and then takes it back. */
async function outcomesOf(claims: readonly QuestClaim[]): Promise<ClaimOutcome[]> {
  const trx = await database.kysely.startTransaction().execute()
  try {
    return (await applyClaims(trx, claims, deps)).outcomes
  } finally {
    await trx.rollback().execute()
  }
}

const wordOf = (outcome: ClaimOutcome) => (outcome.status === 'refused' ? outcome.refusal.reason : outcome.status)

test('decides the claims of several quests in one transaction as it decides those of each quest alone', async () => {
  await credential('1', [address(1), address(2)])
  await credential('2', [address(2), address(3)])
  const common = { name: 'Plant a tree', type: 'Points', loyaltyPoints: 50 } as const
  await importRecords(deps, 'quests', [
    { ...common, id: 'GCfirst', spaceId: SPACE, credentialGroups: [group('ALL', '1')] },
    { ...common, id: 'GCother', spaceId: SPACE, credentialGroups: [group('ALL', '2')], loyaltyPoints: 7 },
    { ...common, id: 'GCopen', spaceId: SPACE, cap: 3 },
    { ...common, id: 'GCelsewhere', spaceId: 41, credentialGroups: [group('ANY', '1', '2')] },
  ])
  const claimOf = (questId: string, n: number): QuestClaim => ({
    questId,
    address: address(n),
    key: `key-${n}`,
    answers: new Map(),
  })
  const earlier = [claimOf('GCfirst', 1), claimOf('GCother', 3), { ...claimOf('GCopen', 2), key: 'key-4' }]
  await database.kysely.transaction().execute((trx) => applyClaims(trx, earlier, deps))
  await importRecords(deps, 'participants', [{ questId: 'GCelsewhere', address: address(3) }])

  const quests = ['GCopen', 'GCelsewhere', 'GCfirst', 'GCother']
  const ofQuest = (questId: string) => [1, 2, 3, 4].map((n) => claimOf(questId, n))
  const claims = quests.flatMap(ofQuest)
  const together = await outcomesOf(claims)
  const alone = []
  for (const questId of quests) alone.push(...(await outcomesOf(ofQuest(questId))))
  expect(together).toEqual(alone)
  expect(
    Object.fromEntries(quests.map((questId, i) => [questId, together.slice(4 * i, 4 * i + 4).map(wordOf)])),
  ).toEqual({
    GCopen: ['applied', 'ALREADY_CLAIMED', 'applied', 'KEY_USED'],
    GCelsewhere: ['applied', 'applied', 'ALREADY_CLAIMED', 'CONDITION_NOT_MET'],
    GCfirst: ['duplicate', 'applied', 'CONDITION_NOT_MET', 'CONDITION_NOT_MET'],
    GCother: ['CONDITION_NOT_MET', 'applied', 'duplicate', 'CONDITION_NOT_MET'],
  })
})
