import { importRecords } from '../../server/src/ingest/import-records.ts'
import type { PointsRecord, QuestRecord } from '../../server/src/ingest/records.ts'
import { refreshStarboard } from '../../server/src/ranking/starboards/refresh.ts'
import { createPersonas, type Personas } from '../../server/test/support/personas.ts'
import { startService, type TestService, type TestServiceOptions } from '../../server/test/support/service.ts'

export const MEMBERS = 130
export const USERS = 120
export const QUESTS = 45
export const STARBOARD = '7'
export const CREDENTIAL = '123456789012345678'
export const HOLDER = address(1)

export interface ClientService extends TestService {
  personas: Personas
}

/** The running service with space 40, starboard 7, a credential and forty-five quests. */
export async function startCommunity(options: TestServiceOptions = {}): Promise<ClientService> {
  const service = await startService(options)
  const personas = await createPersonas(service.deps)
  await arrangeCommunity(service)
  return { ...service, personas }
}

export function address(n: number): string {
  return `0x${n.toString(16).padStart(40, '0')}`
}

async function arrangeCommunity({ deps, clock }: TestService): Promise<void> {
  const now = clock.now() / 1_000
  await importRecords(deps, 'spaces', [{ spaceId: 40, name: 'Forty', description: 'The fortieth' }])
  await importRecords(deps, 'sprints', [{ spaceId: 40, sprintId: 2, name: 'Two' }])
  await importRecords(deps, 'points', [...members()])
  await importRecords(deps, 'starboards', [
    { id: STARBOARD, name: 'Voices', projectName: 'Forty', type: 'TWITTER', tags: ['first'], rewardName: 'Fame' },
  ])
  const users = Array.from({ length: USERS }, (_, n) => ({ starboardId: STARBOARD, username: `user${n + 1}` }))
  await importRecords(deps, 'users', [
    { ...users[0]!, followersCount: 12, verifiedType: 'blue' as const },
    ...users.slice(1),
  ])
  const sample = (hoursAgo: number, score: (n: number) => number) =>
    users.map(({ starboardId, username }, n) => {
      const sampledAt = now - hoursAgo * 3_600
      return { starboardId, handle: username, sampledAt, score: score(n), individual: 5, aura: 7 }
    })
  await importRecords(deps, 'samples', [...sample(25, (n) => n + 1), ...sample(1, (n) => 1_000 - n)])
  await importRecords(deps, 'links', [{ starboardId: STARBOARD, evmAddress: HOLDER, handle: 'user1' }])
  await refreshStarboard(deps, STARBOARD)
  await importRecords(deps, 'credentials', [
    {
      id: CREDENTIAL,
      name: 'Early member',
      credType: 'EVM_ADDRESS',
      credSource: 'CSV',
      curatorSpaceId: 40,
      syncStatus: 'SYNCED',
    },
    { id: '2', name: 'In motion', credType: 'EVM_ADDRESS', credSource: 'CSV', syncStatus: 'SYNCING' },
  ])
  await importRecords(deps, 'holders', [{ credentialId: CREDENTIAL, address: HOLDER }])
  await importRecords(deps, 'quests', [...quests(now)])
}

function* members(): Generator<PointsRecord> {
  for (let n = 1; n <= MEMBERS; n++)
    yield { spaceId: 40, address: address(n), points: 10_000 - n * 10, username: `member${n}`, avatar: '' }
  yield { spaceId: 40, sprintId: 2, address: address(3), points: 9 }
}

function* quests(now: number): Generator<QuestRecord> {
  for (let n = 1; n <= QUESTS; n++)
    yield {
      id: `GCquest${String(n).padStart(3, '0')}`,
      spaceId: 40,
      name: `Quest ${n}`,
      type: n % 2 === 0 ? 'Points' : 'Drop',
      status: n === 1 ? 'Expired' : 'Active',
      cap: 100,
      participantsCount: n,
      loyaltyPoints: 5,
      startTime: now - 3_600,
      endTime: now + 3_600,
      createdAt: now - n,
      credentialGroups: [
        {
          name: 'Members',
          conditionRelation: 'ALL',
          conditions: [{ credentialId: CREDENTIAL, expression: 'Early member' }],
          rewards: [{ rewardType: 'LOYALTYPOINTS', rewardCount: 5, expression: '5 points' }],
        },
      ],
    }
  yield { id: 'GCprivate', spaceId: 40, name: 'Secret', type: 'Drop', status: 'Active', isPrivate: true }
}
