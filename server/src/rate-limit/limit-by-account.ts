import { tooManyRequests } from '../errors.ts'
import { type AttemptLimit, countAttempt } from './rate-limit.ts'
import type { Services } from '../services.ts'

/** Counts a request of an account. @throws ApiError 429 above the limit */
export async function limitByAccount(services: Services, limit: AttemptLimit, accountId: string): Promise<void> {
  const { exceeded, retryAfter } = await countAttempt(services, limit, accountId)
  if (exceeded) throw tooManyRequests(retryAfter)
}
