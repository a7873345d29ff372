import type { Transaction } from 'kysely'
import type { Clock } from '../../clock.ts'
import type { Database } from '../../database/connection.ts'
import type { DB } from '../../database/tables.ts'
import { starboardNotFound } from '../../errors.ts'
import { countReached, deleteChanges, recordedChanges } from './changes.queries.ts'
import { emitRankingEvents } from './events.ts'
import { publishChanges } from './publish-changes.queries.ts'
import { publishWhole } from './publish-whole.queries.ts'
import {
  type CurrentRanking,
  currentRanking,
  lockRefresh,
  recordLook,
  starboardExists,
  starboardIds,
  trackedUsers,
  widestGap,
} from './refresh.queries.ts'

/** In users. The gaps of a new generation are a sixteenth of it. */
const MAX_GAP = 2_048
/** In a generation. A user that changes in each version has as many entries, and each look-up of the user reads all of them. */
const MAX_VERSIONS = 1_000

export interface RefreshDependencies {
  database: Pick<Database, 'kysely'>
  clock: Clock
}

export interface RefreshOutcome {
  starboardId: string
  /** Whether a new ranking was published; false if nothing changed. */
  published: boolean
  /** The current version; 0 if no user was ever ranked. */
  version: number
  userCount: number
}

/**
 * Computes and publishes the ranking of a starboard as of now in one transaction. Previous values are those of the
 * last ranking whose newest sample is older than the newest sample now.
 * @throws ServiceError "Starboard not found"
 */
export async function refreshStarboard(deps: RefreshDependencies, starboardId: string): Promise<RefreshOutcome> {
  if (!(await starboardExists(deps.database.kysely, starboardId))) throw starboardNotFound()
  const outcome = await refresh(deps, starboardId, { wait: true })
  if (!outcome) throw new Error('a refresh that waits for its lock must get it')
  return outcome
}

/** Refreshes all starboards one after the other. */
export async function refreshAll(
  deps: RefreshDependencies,
  onEach: (outcome: RefreshOutcome) => void = () => {},
): Promise<RefreshOutcome[]> {
  const outcomes: RefreshOutcome[] = []
  for (const starboardId of await starboardIds(deps.database.kysely)) {
    const outcome = await refreshStarboard(deps, starboardId)
    outcomes.push(outcome)
    onEach(outcome)
  }
  return outcomes
}

/** Like refreshStarboard; returns undefined if another process is refreshing this starboard. */
export async function refreshUnlessBusy(
  deps: RefreshDependencies,
  starboardId: string,
): Promise<RefreshOutcome | undefined> {
  return refresh(deps, starboardId, { wait: false })
}

async function refresh(
  { database, clock }: RefreshDependencies,
  starboardId: string,
  { wait }: { wait: boolean },
): Promise<RefreshOutcome | undefined> {
  return database.kysely.transaction().execute(async (trx) => {
    const last = await lockRefresh(trx, starboardId, { wait })
    if (!last) return undefined
    // Read the recorded changes before the samples, so that later commits cause another refresh.
    const changes = await recordedChanges(trx, starboardId)
    // The clock of another process may be ahead; the times of a starboard's rankings never decrease.
    const now = new Date(Math.max(clock.now(), last.checked_at?.getTime() ?? 0))
    const published = await currentRanking(trx, starboardId, now)
    const since = last.checked_at
    const userCount =
      published && since && (await areFew(trx, starboardId, published, { handles: changes.handles, since, now }))
        ? await publishChanges(trx, { starboardId, now, since, published, changes: changes.ids })
        : await publishWhole(trx, { starboardId, now, published, trackedUsers: await trackedUsers(trx, starboardId) })
    await deleteChanges(trx, starboardId, changes.ids)
    await recordLook(trx, starboardId, now)
    const current = { version: published?.version ?? 0, userCount: published?.user_count ?? 0 }
    if (userCount === undefined) return { starboardId, published: false, ...current }
    const version = current.version + 1
    await emitRankingEvents(trx, starboardId, version, now)
    return { starboardId, published: true, version, userCount }
  })
}

/**
 * Whether less than a quarter of the users changed since the generation began, in few versions, and no two places are far
 * apart. Otherwise, pages and look-ups would pass too many replaced entries, or ranks would be counted from too far.
 */
async function areFew(
  trx: Transaction<DB>,
  starboardId: string,
  published: CurrentRanking,
  { handles, since, now }: { handles: number; since: Date; now: Date },
): Promise<boolean> {
  if (published.version - published.generation >= MAX_VERSIONS) return false
  const limit = Math.floor(published.user_count / 4) - published.changed
  if (handles >= limit) return false
  const { arrived, aged } = await countReached(trx, starboardId, { after: since, until: now, limit })
  // Most recorded samples have just arrived, too. Samples with a future time arrive long after they were recorded.
  if (Math.max(handles, arrived) + aged >= limit) return false
  return (await widestGap(trx, starboardId, published)) <= MAX_GAP
}
