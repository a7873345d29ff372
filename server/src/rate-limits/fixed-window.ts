import { type Clock, SECOND } from '../clock.ts'
import type { Database } from '../database/connection.ts'
import { addAttempt, attemptsOf, undoAttempt } from './fixed-window.queries.ts'
import type { RateLimit } from './limits.ts'
import type { Services } from '../services.ts'

export interface AttemptCount {
  /** The name of the limit and the subject. */
  name: string
  /** Seconds since 1970. */
  windowStart: number
  exceeded: boolean
  /** Whether this is the first attempt above the limit in the window. */
  firstBeyond: boolean
  /** Seconds until the window ends. */
  retryAfter: number
}

/** Counts an attempt. To commit the count together with its effect, pass the transaction as `kysely`. */
export async function countAttempt(
  { clock, database }: { clock: Clock; database: Pick<Database, 'kysely'> },
  limit: RateLimit,
  subject: string,
): Promise<AttemptCount> {
  const { windowStart, retryAfter } = windowOf({ clock }, limit)
  const name = `${limit.name}:${subject}`
  const attempts = await addAttempt(database.kysely, name, windowStart)
  const exceeded = attempts > limit.max
  return { name, windowStart, exceeded, firstBeyond: attempts === limit.max + 1, retryAfter }
}

/** Undoes the count of a failed attempt. */
export async function refundAttempt(
  { database }: Services,
  { name, windowStart }: Pick<AttemptCount, 'name' | 'windowStart'>,
): Promise<void> {
  await undoAttempt(database, name, windowStart)
}

/** Whether one more attempt would exceed the limit; does not count it. */
export async function checkAttempts(
  services: Services,
  limit: RateLimit,
  subject: string,
): Promise<Pick<AttemptCount, 'exceeded' | 'retryAfter'>> {
  const { windowStart, retryAfter } = windowOf(services, limit)
  const attempts = await attemptsOf(services.database, `${limit.name}:${subject}`, windowStart)
  return { exceeded: attempts >= limit.max, retryAfter }
}

function windowOf({ clock }: { clock: Clock }, limit: RateLimit): { windowStart: number; retryAfter: number } {
  const now = Math.floor(clock.now() / SECOND)
  const windowStart = now - (now % limit.seconds)
  return { windowStart, retryAfter: windowStart + limit.seconds - now }
}
