import type { Clock } from '../clock.ts'
import type { Database } from '../database/connection.ts'
import { importRecords } from '../ingest/import-records.ts'
import { applyDueTransitions } from '../ranking/quests/transitions.ts'
import { refreshAll } from '../ranking/starboards/refresh.ts'
import { type DemoKind, readDemoLogo, readDemoRecords } from './demo-records.ts'
import {
  createAccount,
  setOwnerOfSpaces,
  setOwnerOfStarboards,
  inventMemberDays,
  inventRankDays,
  loadOnce,
  mayLoadDemo,
  publishSpaces,
  publishStarboards,
  setLogo,
  analyzeTables,
} from './load-demo.queries.ts'
/** Owns most of the demo spaces. The demo token belongs to this account and sees their private quests. */
export const DEMO_ACCOUNT_ID = '4d1f6c7a-52b0-4e0d-9c35-7e1a40d3a001'
/** Owns a space whose private quests the demo token must not see. */
export const PARTNER_ACCOUNT_ID = '4d1f6c7a-52b0-4e0d-9c35-7e1a40d3a002'

const DEMO_SPACES = [40, 41, 42, 43, 44, 45, 46, 47]
const PARTNER_SPACES = [48]
const DEMO_STARBOARDS = ['1', '2', '3']
const RANKS_WITH_HISTORY = 100

export interface DemoDependencies {
  database: Database
  clock: Clock
}

/** The number of created records of each kind. */
export interface DemoReport {
  accountId: string
  created: Record<string, number>
}

/**
 * Loads the demo data once, into a database without other data. The times of the records are relative to the time of
 * the load. The next call completes an interrupted load.
 * @returns undefined if the demo is already loaded or the database has other data
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
      created[kind] = amount
      onKind(kind, amount)
    }
    await loadRecords(deps, now, count)
    return { accountId: DEMO_ACCOUNT_ID, created }
  })
}

async function loadRecords(
  deps: DemoDependencies,
  now: number,
  count: (kind: string, amount: number) => void,
): Promise<void> {
  const { kysely } = deps.database
  const load = async (kind: DemoKind) => importRecords(deps, kind, readDemoRecords(kind, now))
  const loadAll = async (...kinds: DemoKind[]) => {
    for (const kind of kinds) count(kind, (await load(kind)).read)
  }
  await createAccount(kysely, DEMO_ACCOUNT_ID, 'Demo', new Date(now))
  await createAccount(kysely, PARTNER_ACCOUNT_ID, 'Demo partner', new Date(now))

  await loadAll('spaces', 'sprints', 'points', 'starboards', 'users', 'links', 'samples')
  count('days of ranks', await inventRankDays(kysely, new Date(now), RANKS_WITH_HISTORY))
  await inventMemberDays(kysely, new Date(now))
  for (const spaceId of [...DEMO_SPACES, ...PARTNER_SPACES]) await setLogo(kysely, spaceId, readDemoLogo(spaceId))
  await publishSpaces(kysely, DEMO_SPACES, new Date(now))
  await publishStarboards(kysely, new Date(now))
  await analyzeTables(kysely, ['board_entries', 'starboard_users', 'starboard_links', 'score_samples'])

  await loadAll('credentials', 'holders')
  // The import of holders sets the time of the last synchronization. The second import restores the times of the demo.
  await load('credentials')
  await loadAll('quests', 'participants')

  await setOwnerOfSpaces(kysely, DEMO_ACCOUNT_ID, DEMO_SPACES)
  await setOwnerOfSpaces(kysely, PARTNER_ACCOUNT_ID, PARTNER_SPACES)
  await setOwnerOfStarboards(kysely, DEMO_ACCOUNT_ID, DEMO_STARBOARDS)
  await applyDueTransitions(deps)
  await refreshAll(deps)
  await analyzeTables(kysely, [
    'starboard_entries',
    'starboard_places',
    'credential_holders',
    'quests',
    'quest_listings',
  ])
}
