import { DatabaseError, type Pool } from 'pg'
import { type Clock, DAY, SECOND } from '../clock.ts'
import { dailyQuotaExceeded, networkQuotaExceeded, networkRateExceeded, rateLimitExceeded } from '../errors.ts'
import { QUOTA_LEASE_LIFETIME } from '../lifetimes.ts'
import type { Logger } from '../logging/log.ts'
import type { Caller } from './caller.ts'
import { leaseUnits, type QuotaWindow, returnUnits } from './quota.queries.ts'

/**
 * Enforces the limits per second and per day across all processes. Each process leases blocks of units from
 * the database and spends them in memory, so most requests need no round trip.
 */
export interface Quota {
  /**
   * Spends one unit of each limit of the caller's plan. With a publishable token, it also spends one unit of each limit of
   * the caller's network.
   * @returns the IETF headers RateLimit and RateLimit-Policy
   * @throws QUOTA_EXCEEDED with Retry-After
   */
  spend(caller: Caller): Promise<Record<string, string>>
  /** Returns unused units of daily limits to the database. */
  close(): Promise<void>
}

/**
 * The target duration of a lease in milliseconds. If a lease is used up sooner, the next lease is twice as large. If it
 * lasts more than ten times as long, the next lease is half as large. The first lease is one unit, because the
 * RateLimit header counts units leased by other processes as spent. Small leases keep the header exact for slow callers.
 */
const LEASE_DURATION = SECOND / 10
const FIRST_LEASE = 1
const MAX_LEASE = 100_000
/**
 * Milliseconds before the database is queried again for an exhausted window, because another process may have returned
 * units.
 */
const RETRY_MS = 50

type Period = QuotaWindow['period']
const lengths: Record<Period, number> = { second: SECOND, day: DAY }

/** The limits of a plan, in the order in which a request spends units of them. */
const LIMITS: readonly Limit[] = [
  { period: 'second', name: 'per_second', of: ({ perSecond }) => perSecond, exceeded: rateLimitExceeded },
  { period: 'day', name: 'daily', of: ({ perDay }) => perDay, exceeded: dailyQuotaExceeded },
]

/** The limits of one network. They are spent first, so that rejected requests of a network use no units of the token. */
const NETWORK_LIMITS: readonly Limit[] = [
  { period: 'second', name: 'network_per_second', of: ({ perSecond }) => perSecond, exceeded: networkRateExceeded },
  { period: 'day', name: 'network_daily', of: ({ perDay }) => perDay, exceeded: networkQuotaExceeded },
]

interface Limit {
  period: Period
  name: string
  of: (limits: { perSecond: number | null; perDay: number | null }) => number | null
  exceeded: (limit: number, headers: Record<string, string>) => Error
}

interface Bucket {
  window: QuotaWindow
  limit: number
  ofNetwork: boolean
  /** The name of the limit in the response headers. */
  name: string
  policy: string
  available: number
  /** The size of the next lease. */
  nextLease: number
  /** The time of the last lease. */
  leasedAt: number
  /** The units of the window that all processes have leased, as of the last lease. */
  leased: number
  /** The units of the window that this process has spent. */
  spent: number
  /** The time when the database last had no units left; undefined if the last lease succeeded. */
  exhaustedAt: number | undefined
  leasing: Promise<void> | undefined
  /** Whether unused units are being returned, before the bucket may be deleted. */
  returning: boolean
}

export function createQuota(pool: Pool, clock: Clock, log: Logger): Quota {
  /** The keys are the ids of tokens, and of tokens on one network (NetworkShare). */
  const buckets: Record<Period, Map<string, Bucket>> = { second: new Map(), day: new Map() }

  const allBuckets = (): Bucket[] => [...buckets.second.values(), ...buckets.day.values()]

  const returnUnused = async (bucket: Bucket): Promise<void> => {
    const units = bucket.available
    if (units === 0 || bucket.window.period === 'second') return
    const { leasedAt } = bucket
    // Before the statement, because a lease during it reads the count again.
    bucket.available = 0
    bucket.leased -= units
    try {
      await returnUnits(pool, bucket.window, units)
    } catch (error) {
      // A DatabaseError means that the units were not returned, so this process keeps them. After other errors the
      // outcome is unknown. The process then discards the units, so that the limit is never exceeded.
      if (error instanceof DatabaseError) {
        bucket.available += units
        // A lease since then has read a count that includes them.
        if (bucket.leasedAt === leasedAt) bucket.leased += units
      }
      throw error
    }
  }

  /** @returns whether it succeeded */
  const tryToReturn = async (bucket: Bucket): Promise<boolean> => {
    try {
      await returnUnused(bucket)
      return true
    } catch (error) {
      log.warn({ err: error }, 'could not return quota units')
      return false
    }
  }

  /**
   * Returns unused units, and deletes the bucket after its window. There are many networks with few requests, so their
   * buckets are deleted when they are idle, but not while they have units, which would be lost.
   */
  const returnAndDelete = async (bucket: Bucket): Promise<void> => {
    const { leasedAt, ofNetwork } = bucket
    bucket.returning = true
    const returned = await tryToReturn(bucket)
    bucket.returning = false
    if (!returned) return
    const { tokenId, period, start } = bucket.window
    const isIdle = bucket.available === 0 && !bucket.leasing && bucket.leasedAt === leasedAt
    const isOver = clock.now() >= (start + 1) * lengths[period]
    if ((isOver || (ofNetwork && isIdle)) && buckets[period].get(tokenId) === bucket) buckets[period].delete(tokenId)
  }

  const returning = setInterval(() => {
    const now = clock.now()
    for (const bucket of allBuckets()) {
      if (bucket.leasing || bucket.returning || now - bucket.leasedAt < QUOTA_LEASE_LIFETIME) continue
      void returnAndDelete(bucket)
    }
  }, QUOTA_LEASE_LIFETIME)
  returning.unref()

  const bucketOf = (tokenId: string, { period, name }: Limit, limit: number): Bucket => {
    const now = clock.now()
    const start = Math.floor(now / lengths[period])
    const known = buckets[period].get(tokenId)
    if (known?.window.start === start && known.limit === limit) return known
    // The window has ended or the plan has changed, so the old lease is returned.
    if (known) void tryToReturn(known)
    const fresh: Bucket = {
      window: { tokenId, period, start },
      limit,
      ofNetwork: NETWORK_LIMITS.some((of) => of.name === name),
      name,
      policy: `"${name}";q=${limit};w=${lengths[period] / SECOND}`,
      available: 0,
      nextLease: known ? nextLeaseAfter(known) : FIRST_LEASE,
      leasedAt: known?.leasedAt ?? 0,
      leased: 0,
      spent: 0,
      exhaustedAt: undefined,
      leasing: undefined,
      returning: false,
    }
    buckets[period].set(tokenId, fresh)
    return fresh
  }

  const lease = async (bucket: Bucket): Promise<void> => {
    const now = clock.now()
    const lasted = now - bucket.leasedAt
    let wanted = bucket.nextLease
    if (lasted < LEASE_DURATION) wanted = Math.min(2 * wanted, MAX_LEASE)
    else if (lasted > 10 * LEASE_DURATION) wanted = Math.max(wanted >> 1, FIRST_LEASE)
    const found = await leaseUnits(pool, bucket.window, bucket.limit, wanted)
    bucket.nextLease = wanted
    bucket.leasedAt = now
    if (found) {
      bucket.available += found.granted
      bucket.leased = found.leased
      bucket.exhaustedAt = undefined
    } else {
      bucket.leased = bucket.limit
      bucket.exhaustedAt = clock.now()
    }
  }

  const takeNow = (bucket: Bucket): boolean => {
    if (bucket.available === 0) return false
    bucket.available--
    bucket.spent++
    return true
  }

  /** Whether the database had no units left at a query less than RETRY_MS ago. */
  const isExhausted = ({ exhaustedAt }: Bucket): boolean =>
    exhaustedAt !== undefined && Math.abs(clock.now() - exhaustedAt) < RETRY_MS

  /** Takes one unit, and leases units first if none are available. Returns false if the limit is reached. */
  const take = async (bucket: Bucket): Promise<boolean> => {
    while (bucket.available === 0) {
      if (isExhausted(bucket)) return false
      bucket.leasing ??= lease(bucket).finally(() => {
        bucket.leasing = undefined
      })
      await bucket.leasing
      if (bucket.available === 0 && bucket.exhaustedAt !== undefined) return false
    }
    return takeNow(bucket)
  }

  /**
   * Rejects a request of an exhausted token before units are leased for its network. Otherwise rejected requests would write
   * a row for each network.
   */
  const refuseExhausted = (caller: Caller): void => {
    for (const kind of LIMITS) {
      const limit = kind.of(caller)
      const bucket = limit === null ? undefined : bucketOf(caller.tokenId, kind, limit)
      if (limit !== null && bucket?.available === 0 && isExhausted(bucket))
        throw kind.exceeded(limit, refusal([bucket], clock.now()))
    }
  }

  return {
    async spend(caller) {
      const limits: Bucket[] = []
      const network = caller.publishable?.network
      if (network) refuseExhausted(caller)
      for (const kind of network ? [...NETWORK_LIMITS, ...LIMITS] : LIMITS) {
        const share = network && NETWORK_LIMITS.includes(kind) ? network : undefined
        const limit = kind.of(share ?? caller)
        if (limit === null) continue
        const bucket = bucketOf(share?.id ?? caller.tokenId, kind, limit)
        limits.push(bucket)
        if (!takeNow(bucket) && !(await take(bucket))) throw kind.exceeded(limit, refusal(limits, clock.now()))
      }
      return rateLimitHeaders(limits, clock.now())
    },
    async close() {
      clearInterval(returning)
      await Promise.all(allBuckets().map(tryToReturn))
    },
  }
}

/**
 * Returns the initial lease size for the next window. Units of a past second cannot be returned, so the size for a
 * second is the number of units spent in the previous second. This leaves units for other processes.
 */
function nextLeaseAfter({ window, nextLease, spent }: Bucket): number {
  return window.period === 'second' ? Math.min(Math.max(1, spent), MAX_LEASE) : nextLease
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

/** Headers of a rejected request. The exhausted limit is the last element of `limits`. */
function refusal(limits: readonly Bucket[], now: number): Record<string, string> {
  return { ...rateLimitHeaders(limits, now), 'retry-after': String(secondsLeft(limits.at(-1) as Bucket, now)) }
}

function secondsLeft({ window }: Bucket, now: number): number {
  return Math.max(1, Math.ceil(((window.start + 1) * lengths[window.period] - now) / SECOND))
}
