import { QuestboardError } from './errors.ts'
import type { Settings } from './options.ts'

/** Retries quota errors and unavailability with exponential backoff and jitter, never earlier than `Retry-After`. */
export async function withRetries<Answer>(
  settings: Pick<Settings, 'retry' | 'clock' | 'random'>,
  attempt: () => Promise<Answer>,
  signal?: AbortSignal,
): Promise<Answer> {
  for (let retry = 1; ; retry++) {
    try {
      return await attempt()
    } catch (error) {
      const wait = waitBefore(retry, error, settings)
      if (wait === undefined) throw error
      await settings.clock.sleep(wait, signal)
    }
  }
}

/**
 * Milliseconds before the n-th retry; undefined if there are no more retries.
 * @param lostConnections whether a service that cannot be reached is tried again
 */
export function waitBefore(
  retry: number,
  error: unknown,
  {
    retry: { retries, firstWaitMs, maximumWaitMs },
    random,
    lostConnections = false,
  }: Pick<Settings, 'retry' | 'random'> & { lostConnections?: boolean },
): number | undefined {
  if (!(error instanceof QuestboardError) || retry > retries) return undefined
  if (!isPassing(error) && !(lostConnections && isLost(error))) return undefined
  const { retryAfterMs = 0 } = error
  if (retryAfterMs > maximumWaitMs) return undefined
  const half = Math.min(firstWaitMs * 2 ** (retry - 1), maximumWaitMs) / 2
  return Math.max(half, retryAfterMs) + half * random()
}

function isPassing({ code, httpStatus }: QuestboardError): boolean {
  return code === 'QUOTA_EXCEEDED' || httpStatus === 429 || httpStatus === 503
}

/** Whether the response is missing, or comes from a proxy whose service is down. */
const isLost = ({ code, httpStatus = 0 }: QuestboardError): boolean =>
  code === 'NETWORK_ERROR' || [500, 502, 504].includes(httpStatus)
