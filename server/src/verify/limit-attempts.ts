import type { Clock } from '../clock.ts'
import type { Database } from '../database/connection.ts'
import { tooManyRequests } from '../errors.ts'
import type { RateLimit } from '../rate-limits/limits.ts'
import { countAttempt } from '../rate-limits/fixed-window.ts'

/** @throws ApiError 429 */
export async function limitAttempts(
  deps: { clock: Clock; database: Pick<Database, 'kysely'> },
  attempts: RateLimit,
  subject: string,
): Promise<void> {
  const { exceeded, retryAfter } = await countAttempt(deps, attempts, subject)
  if (exceeded) throw tooManyRequests(retryAfter)
}
