import type { Clock } from '../clock.ts'

/** Reads again if the last result is older than `lifetime`. */
export function cachedFor<T>(lifetime: number, clock: Clock, read: () => Promise<T>): () => Promise<T> {
  let kept: { until: number; value: Promise<T> } | undefined
  return () => {
    const now = clock.now()
    if (!kept || kept.until < now || kept.until > now + lifetime) {
      const value = read()
      kept = { until: now + lifetime, value }
      value.catch(() => (kept = undefined))
    }
    return kept.value
  }
}
