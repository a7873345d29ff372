import type { Clock } from '../clock.ts'
import type { Database } from '../database/connection.ts'
import { tooManyRequests } from '../errors.ts'
import { type AttemptLimit, countAttempt } from '../rate-limit/rate-limit.ts'

/** @throws ApiError 429 */
export async function limitAttempts(
  deps: { clock: Clock; database: Pick<Database, 'kysely'> },
  attempts: AttemptLimit,
  subject: string,
): Promise<void> {
  const { exceeded, retryAfter } = await countAttempt(deps, attempts, subject)
  if (exceeded) throw tooManyRequests(retryAfter)
}
