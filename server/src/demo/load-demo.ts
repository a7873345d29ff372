import type { Clock } from '../clock.ts'
import type { Database } from '../database/connection.ts'
import { importRecords } from '../ingest/import-records.ts'
import { applyDueTransitions } from '../ranking/quest-transitions.ts'
import { refreshAll } from '../ranking/starboard-refresh.ts'
import { credentialRecords } from './credentials.ts'
import { holderRecords } from './holders.ts'
import {
  createAccount,
  giveSpaces,
  giveStarboards,
  inventRankDays,
  loadOnce,
  mayLoadDemo,
  takeStatistics,
} from './load-demo.queries.ts'
import { pointsRecords } from './loyalty-points.ts'
import { createPeople } from './people.ts'
import { participantRecords, questRecords } from './quests.ts'
import { spaceRecords, spaces, sprintRecords } from './spaces.ts'
import { sampleRecords } from './starboard-samples.ts'
import { createXUsers, linkRecords, userRecords, usersOf } from './starboard-users.ts'
import { starboardRecords, starboards } from './starboards.ts'

/** Owns the demo's spaces but one; a token of this account sees their private quests. */
export const DEMO_ACCOUNT_ID = '4d1f6c7a-52b0-4e0d-9c35-7e1a40d3a001'
/** Owns the space whose private quests the demo account must not see. */
export const PARTNER_ACCOUNT_ID = '4d1f6c7a-52b0-4e0d-9c35-7e1a40d3a002'

const PEOPLE = 6_500
const X_USERS = 2_000
const PLACES_WITH_HISTORY = 100

export interface DemoDependencies {
  database: Database
  clock: Clock
}

/** What was created, as a number for each kind of record. */
export interface DemoReport {
  accountId: string
  created: Record<string, number>
}

/**
 * Loads the demo data, once an installation and only into a database that holds no data of its own: the same data
 * every time, dated from the moment of loading. An interrupted load is completed by the next call.
 * @returns what was created; undefined when there was nothing to do
 */
export async function loadDemo(
  deps: DemoDependencies,
  onKind: (kind: string, count: number) => void = () => {},
): Promise<DemoReport | undefined> {
  const { database, clock } = deps
  if (!(await mayLoadDemo(database.kysely))) return undefined
  return loadOnce(database.kysely, clock.now(), async (now) => {
    const created: Record<string, number> = {}
    const count = (kind: string, amount: number) => {
      created[kind] = (created[kind] ?? 0) + amount
      onKind(kind, created[kind])
    }
    await load(deps, now, count)
    return { accountId: DEMO_ACCOUNT_ID, created }
  })
}

async function load(deps: DemoDependencies, now: number, count: (kind: string, amount: number) => void): Promise<void> {
  const { kysely } = deps.database
  const people = createPeople(PEOPLE)
  await createAccount(kysely, DEMO_ACCOUNT_ID, 'Demo', new Date(now))
  await createAccount(kysely, PARTNER_ACCOUNT_ID, 'Demo partner', new Date(now))

  count('spaces', (await importRecords(deps, 'spaces', spaceRecords())).read)
  count('sprints', (await importRecords(deps, 'sprints', sprintRecords(now))).read)
  count('points', (await importRecords(deps, 'points', pointsRecords(people))).read)

  count('starboards', (await importRecords(deps, 'starboards', starboardRecords(now))).read)
  const everybody = createXUsers(X_USERS, people)
  for (const board of starboards) {
    const users = usersOf(board, everybody)
    count('users', (await importRecords(deps, 'users', userRecords(board, users))).read)
    count('links', (await importRecords(deps, 'links', linkRecords(board, users))).read)
    count('samples', (await importRecords(deps, 'samples', sampleRecords(board, users, now))).read)
  }

  count('days of ranks', await inventRankDays(kysely, new Date(now), PLACES_WITH_HISTORY))
  await takeStatistics(kysely, ['board_entries', 'starboard_users', 'starboard_links', 'score_samples'])

  count('credentials', (await importRecords(deps, 'credentials', credentialRecords(now))).read)
  count('holders', (await importRecords(deps, 'holders', holderRecords(people))).read)
  // The import of holders counts as a synchronization of now; these credentials were synchronized at their own times.
  await importRecords(deps, 'credentials', credentialRecords(now))
  count('quests', (await importRecords(deps, 'quests', questRecords(now))).read)
  count('participants', (await importRecords(deps, 'participants', participantRecords(people, now))).read)

  const ownedBy = (owner: string) => spaces.filter((space) => space.owner === owner).map((space) => space.id)
  await giveSpaces(kysely, DEMO_ACCOUNT_ID, ownedBy('demo'))
  await giveSpaces(kysely, PARTNER_ACCOUNT_ID, ownedBy('partner'))
  await giveStarboards(
    kysely,
    DEMO_ACCOUNT_ID,
    starboards.map((board) => board.id),
  )
  await applyDueTransitions(deps)
  await refreshAll(deps)
  await takeStatistics(kysely, ['starboard_ranks', 'credential_holders', 'quests', 'quest_listings'])
}
