import { DatabaseError, type Pool } from 'pg'
import { type Clock, DAY, SECOND } from '../clock.ts'
import { dailyQuotaExceeded, rateLimitExceeded } from '../errors.ts'
import { QUOTA_LEASE_IDLE } from '../lifetimes.ts'
import type { Logger } from '../logging/log.ts'
import type { Caller } from './authenticate.ts'
import { leaseUnits, type QuotaWindow, returnUnits } from './quota.queries.ts'

/**
 * Limits per second and per day (spec 8.1), exact across processes. Units are leased from the database in blocks and
 * spent in memory, so that most requests need no round trip.
 */
export interface Quota {
  /**
   * Spends one unit of each limit of the caller's plan.
   * @returns the IETF headers RateLimit and RateLimit-Policy
   * @throws QUOTA_EXCEEDED with Retry-After
   */
  spend(caller: Caller): Promise<Record<string, string>>
  /** Returns unused units to the database. */
  close(): Promise<void>
}

/**
 * The target duration of a lease. A lease that is used up sooner doubles the next one; one that lasts ten times as long
 * halves it. The first is one unit: units leased by other processes count as spent in the RateLimit header, so the
 * header is exact for slow callers.
 */
const LEASE_SERVES = SECOND / 10
const FIRST_LEASE = 1
const MAX_LEASE = 100_000
/** Wait before an exhausted window is queried again, since another process may have returned units. */
const RETRY_MS = 50

type Period = QuotaWindow['period']
const lengths: Record<Period, number> = { second: SECOND, day: DAY }

/** The limits of a plan, in the order of spending. */
const LIMITS = [
  { period: 'second', name: 'per_second', of: ({ perSecond }: Caller) => perSecond, exceeded: rateLimitExceeded },
  { period: 'day', name: 'daily', of: ({ perDay }: Caller) => perDay, exceeded: dailyQuotaExceeded },
] as const

interface Bucket {
  window: QuotaWindow
  limit: number
  /** The name in the headers. */
  name: string
  policy: string
  available: number
  /** The size of the next lease, and the time of the last one. */
  wanted: number
  leasedAt: number
  leased: number
  /** The number of units of the lease that were spent in this process. */
  spent: number
  spentAt: number | undefined
  usedAt: number
  leasing: Promise<void> | undefined
}

export function createQuota(pool: Pool, clock: Clock, log: Logger): Quota {
  /** By token id. */
  const buckets: Record<Period, Map<string, Bucket>> = { second: new Map(), day: new Map() }

  const allBuckets = (): Bucket[] => [...buckets.second.values(), ...buckets.day.values()]

  const returnRest = async (bucket: Bucket): Promise<void> => {
    const units = bucket.available
    if (units === 0 || bucket.window.period === 'second') return
    bucket.available = 0
    try {
      await returnUnits(pool, bucket.window, units)
      bucket.leased -= units
    } catch (error) {
      // If the outcome is unknown, the units count as returned, so that the limit is never exceeded.
      if (error instanceof DatabaseError) bucket.available += units
      throw error
    }
  }

  const tryToReturn = (bucket: Bucket): Promise<void> =>
    returnRest(bucket).catch((error: unknown) => log.warn({ err: error }, 'could not return quota units'))

  const tidy = setInterval(() => {
    const now = clock.now()
    for (const bucket of allBuckets()) {
      if (bucket.leasing || now - bucket.usedAt < QUOTA_LEASE_IDLE) continue
      void tryToReturn(bucket)
      const { tokenId, period, start } = bucket.window
      if (now >= (start + 1) * lengths[period]) buckets[period].delete(tokenId)
    }
  }, QUOTA_LEASE_IDLE)
  tidy.unref()

  const bucketOf = (tokenId: string, { period, name }: (typeof LIMITS)[number], limit: number): Bucket => {
    const now = clock.now()
    const start = Math.floor(now / lengths[period])
    const known = buckets[period].get(tokenId)
    if (known?.window.start === start && known.limit === limit) {
      known.usedAt = now
      return known
    }
    // The window has ended or the plan has changed, so the old lease is returned.
    if (known) void tryToReturn(known)
    const fresh: Bucket = {
      window: { tokenId, period, start },
      limit,
      name,
      policy: `"${name}";q=${limit};w=${lengths[period] / SECOND}`,
      available: 0,
      wanted: known ? wantedAfter(known) : FIRST_LEASE,
      leasedAt: known?.leasedAt ?? 0,
      leased: 0,
      spent: 0,
      spentAt: undefined,
      usedAt: now,
      leasing: undefined,
    }
    buckets[period].set(tokenId, fresh)
    return fresh
  }

  const lease = async (bucket: Bucket): Promise<void> => {
    const now = clock.now()
    const served = now - bucket.leasedAt
    if (served < LEASE_SERVES) bucket.wanted = Math.min(2 * bucket.wanted, MAX_LEASE)
    else if (served > 10 * LEASE_SERVES) bucket.wanted = Math.max(bucket.wanted >> 1, FIRST_LEASE)
    bucket.leasedAt = now
    const found = await leaseUnits(pool, bucket.window, bucket.limit, bucket.wanted)
    if (found) {
      bucket.available += found.granted
      bucket.leased = found.leased
      bucket.spentAt = undefined
    } else {
      bucket.leased = bucket.limit
      bucket.spentAt = clock.now()
    }
  }

  const takeNow = (bucket: Bucket): boolean => {
    if (bucket.available === 0) return false
    bucket.available--
    bucket.spent++
    return true
  }

  /** Leases units if needed. Returns false if the limit is reached. */
  const take = async (bucket: Bucket): Promise<boolean> => {
    while (bucket.available === 0) {
      if (bucket.spentAt !== undefined && Math.abs(clock.now() - bucket.spentAt) < RETRY_MS) return false
      bucket.leasing ??= lease(bucket).finally(() => {
        bucket.leasing = undefined
      })
      await bucket.leasing
      if (bucket.available === 0 && bucket.spentAt !== undefined) return false
    }
    return takeNow(bucket)
  }

  return {
    async spend(caller) {
      const limits: Bucket[] = []
      for (const kind of LIMITS) {
        const limit = kind.of(caller)
        if (limit === null) continue
        const bucket = bucketOf(caller.tokenId, kind, limit)
        limits.push(bucket)
        if (!takeNow(bucket) && !(await take(bucket))) throw kind.exceeded(limit, refusal(limits, clock.now()))
      }
      return rateLimitHeaders(limits, clock.now())
    },
    async close() {
      clearInterval(tidy)
      await Promise.all(allBuckets().map(tryToReturn))
    },
  }
}

/**
 * Units of a past second cannot be returned. So the next lease is at most as large as the last use, which leaves units
 * for others.
 */
function wantedAfter({ window, wanted, spent }: Bucket): number {
  return window.period === 'second' ? Math.min(Math.max(1, spent), MAX_LEASE) : wanted
}

/**
 * draft-ietf-httpapi-ratelimit-headers-10: `q` units per window of `w` seconds, `r` remaining, reset in `t` seconds.
 */
function rateLimitHeaders(limits: readonly Bucket[], now: number): Record<string, string> {
  if (limits.length === 0) return {}
  let [policies, states] = ['', '']
  for (const bucket of limits) {
    const { name, policy, limit, leased, available } = bucket
    const between = policies === '' ? '' : ', '
    policies += `${between}${policy}`
    states += `${between}"${name}";r=${Math.max(0, limit - leased + available)};t=${secondsLeft(bucket, now)}`
  }
  return { 'ratelimit-policy': policies, ratelimit: states }
}

/** The last limit in the list is the exhausted one. */
function refusal(limits: readonly Bucket[], now: number): Record<string, string> {
  return { ...rateLimitHeaders(limits, now), 'retry-after': String(secondsLeft(limits.at(-1) as Bucket, now)) }
}

function secondsLeft({ window }: Bucket, now: number): number {
  return Math.max(1, Math.ceil(((window.start + 1) * lengths[window.period] - now) / SECOND))
}
