import { tooManyRequests } from '../errors.ts'
import { countAttempt } from './fixed-window.ts'
import type { RateLimit } from './limits.ts'
import type { Services } from '../services.ts'

/** Counts a request of an account. @throws ApiError 429 above the limit */
export async function limitByAccount(services: Services, limit: RateLimit, accountId: string): Promise<void> {
  const { exceeded, retryAfter } = await countAttempt(services, limit, accountId)
  if (exceeded) throw tooManyRequests(retryAfter)
}
