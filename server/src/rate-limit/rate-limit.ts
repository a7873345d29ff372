import { isIPv6 } from 'node:net'
import { type Clock, SECOND } from '../clock.ts'
import type { Database } from '../database/connection.ts'
import { addAttempt, attemptsOf, takeAttempt } from './rate-limit.queries.ts'
import type { Services } from '../services.ts'

/** At most `most` attempts in each fixed window of so many seconds, counted by all instances together. */
export interface AttemptLimit {
  name: string
  most: number
  seconds: number
}

/**
 * Failed client authentications from one address, and of one app from anywhere: beyond it wrong secrets get 429; right ones
 * still pass, so that strangers cannot lock an app out.
 */
export const clientFailuresByAddress: AttemptLimit = { name: 'client-failure-address', most: 30, seconds: 60 }
export const clientFailuresByApp: AttemptLimit = { name: 'client-failure-app', most: 100, seconds: 60 }
export const authorizationsByAddress: AttemptLimit = { name: 'authorize', most: 600, seconds: 60 }
/** Those of them that have to be kept for the user and are long: anybody may ask, so a network is to fill little room. */
export const longAuthorizationsByAddress: AttemptLimit = { name: 'authorize-long', most: 60, seconds: 60 }
/** Refused sign-ins that are noted for one account, so that strangers cannot fill its audit log. */
export const refusalsByAccount: AttemptLimit = { name: 'sign-in-refused', most: 20, seconds: 3600 }
export const challengesByAddress: AttemptLimit = { name: 'challenge', most: 120, seconds: 60 }
/** Challenges for a mailbox that this browser has proved before, beyond those of its network. */
export const challengesByKnownBrowser: AttemptLimit = { name: 'challenge-known-browser', most: 10, seconds: 60 }
/** Refused codes of mails that have further attempts; beyond it a code has one. */
export const refusedCodesByNetwork: AttemptLimit = { name: 'mail-code', most: 60, seconds: 3600 }
export const applicationsByAccount: AttemptLimit = { name: 'application', most: 20, seconds: 86_400 }
/** Places that an account makes us send webhooks to: each is asked of name servers, and knocked at. */
export const webhookPlacesByAccount: AttemptLimit = { name: 'webhook-place', most: 20, seconds: 3600 }

/** Test messages and repeated deliveries that an account asks for: each is a request to another machine. */
export const webhookSendsByAccount: AttemptLimit = { name: 'webhook-send', most: 60, seconds: 3600 }

export interface AttemptCount {
  /** Under which it was counted, and the start of the window. */
  name: string
  windowStart: number
  exceeded: boolean
  /** Of all attempts of the window this one is the first beyond the limit. */
  firstBeyond: boolean
  /** Seconds until the window ends. */
  retryAfter: number
}

/** Counts an attempt and says whether it is beyond the limit; in a transaction, together with what it does. */
export async function countAttempt(
  { clock, database }: { clock: Clock; database: Pick<Database, 'kysely'> },
  limit: AttemptLimit,
  who: string,
): Promise<AttemptCount> {
  const { windowStart, retryAfter } = windowOf({ clock }, limit)
  const name = `${limit.name}:${who}`
  const attempts = await addAttempt(database.kysely, name, windowStart)
  const exceeded = attempts > limit.most
  return { name, windowStart, exceeded, firstBeyond: attempts === limit.most + 1, retryAfter }
}

/** For an attempt that came to nothing: its window has room for another. */
export async function giveAttemptBack(
  { database }: Services,
  { name, windowStart }: Pick<AttemptCount, 'name' | 'windowStart'>,
): Promise<void> {
  await takeAttempt(database, name, windowStart)
}

/** As countAttempt, without counting: whether one more would be beyond the limit. */
export async function checkAttempts(
  services: Services,
  limit: AttemptLimit,
  who: string,
): Promise<Pick<AttemptCount, 'exceeded' | 'retryAfter'>> {
  const { windowStart, retryAfter } = windowOf(services, limit)
  const attempts = await attemptsOf(services.database, `${limit.name}:${who}`, windowStart)
  return { exceeded: attempts >= limit.most, retryAfter }
}

function windowOf({ clock }: { clock: Clock }, limit: AttemptLimit): { windowStart: number; retryAfter: number } {
  const now = Math.floor(clock.now() / SECOND)
  const windowStart = now - (now % limit.seconds)
  return { windowStart, retryAfter: windowStart + limit.seconds - now }
}

/** What one caller is taken to be: an IPv4 address, or the /64 of an IPv6 address, each in one spelling. */
export function networkOf(address: string): string {
  const bare = address.split('%')[0] ?? ''
  if (!isIPv6(bare)) return bare
  const groups = expandIPv6(bare)
  const mapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff
  if (mapped)
    return groups
      .slice(6)
      .flatMap((group) => [group >> 8, group & 255])
      .join('.')
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`
}

function expandIPv6(address: string): number[] {
  // The URL parser gives the one canonical spelling (RFC 5952) with hexadecimal groups only.
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const [head = '', tail] = canonical.split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - before.length - after.length }, () => '0')
  return [...before, ...zeros, ...after].map((group) => Number.parseInt(group, 16))
}
