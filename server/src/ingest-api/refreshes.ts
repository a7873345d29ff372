import { type RefreshDependencies, type RefreshOutcome, refreshStarboard } from '../ranking/starboards/refresh.ts'
import { REFRESHES } from './limits.ts'
import { createSlots } from './slots.ts'

/**
 * Refreshes starboards on request with limited concurrency, because each refresh holds a connection. Requests share a
 * refresh that is waiting, but not a running one, which may have missed a sample.
 */
export function createRefreshes(
  deps: RefreshDependencies,
): (sender: string, starboardId: string) => Promise<RefreshOutcome> {
  const slots = createSlots(REFRESHES)
  const toCome = new Map<string, Promise<RefreshOutcome>>()
  return (sender, starboardId) => {
    const shared = toCome.get(starboardId)
    if (shared) return shared
    let begun = false
    const outcome = slots.run(sender, () => {
      begun = true
      toCome.delete(starboardId)
      return refreshStarboard(deps, starboardId)
    })
    if (begun) return outcome
    toCome.set(starboardId, outcome)
    return outcome.catch((error: unknown) => {
      if (toCome.get(starboardId) === outcome) toCome.delete(starboardId)
      throw error
    })
  }
}
