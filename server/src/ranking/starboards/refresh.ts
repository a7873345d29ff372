import type { Clock } from '../../clock.ts'
import type { Database } from '../../database/connection.ts'
import { starboardNotFound } from '../../errors.ts'
import { emitRankingEvents } from './events.ts'
import { type PreviousSource, publishRanking } from './publish.queries.ts'
import {
  currentRanking,
  lockRefresh,
  recordLook,
  sampleChanges,
  starboardExists,
  starboardIds,
  trackedUsers,
} from './refresh.queries.ts'

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
    // Read the change counter before the samples, so that later commits cause another refresh.
    const samples = await sampleChanges(trx, starboardId)
    // The clock of another process may be ahead; the times of a starboard's rankings never decrease.
    const now = new Date(Math.max(clock.now(), last.checked_at?.getTime() ?? 0))
    const published = await currentRanking(trx, starboardId, now)
    const current = { version: published?.version ?? 0, userCount: published?.user_count ?? 0 }
    const userCount = await publishRanking(trx, {
      starboardId,
      now,
      current,
      previous: previousSource(published),
      trackedUsers: await trackedUsers(trx, starboardId),
    })
    await recordLook(trx, starboardId, samples, now)
    if (userCount === undefined) return { starboardId, published: false, ...current }
    const version = current.version + 1
    await emitRankingEvents(trx, starboardId, version, now)
    return { starboardId, published: true, version, userCount }
  })
}

function previousSource(published: { has_newer: boolean } | undefined): PreviousSource {
  if (!published) return 'samples'
  return published.has_newer ? 'published' : 'carried'
}
