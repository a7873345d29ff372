import { isIPv6 } from 'node:net'
import { type Clock, SECOND } from '../clock.ts'
import type { Database } from '../database/connection.ts'
import { addAttempt, attemptsOf, undoAttempt } from './rate-limit.queries.ts'
import type { Services } from '../services.ts'

/** At most `max` attempts per fixed window, counted over all processes. */
export interface AttemptLimit {
  name: string
  max: number
  seconds: number
}

/**
 * Failed client authentications by network, and by app from any network. Above the limit wrong secrets get 429; correct
 * ones still pass, so that strangers cannot lock an app out.
 */
export const clientFailuresByNetwork: AttemptLimit = { name: 'client-failure-address', max: 30, seconds: 60 }
export const clientFailuresByApp: AttemptLimit = { name: 'client-failure-app', max: 100, seconds: 60 }
export const authorizationsByNetwork: AttemptLimit = { name: 'authorize', max: 600, seconds: 60 }
/** Long authorization requests that must be stored; limits the storage that one network can use. */
export const longAuthorizationsByNetwork: AttemptLimit = { name: 'authorize-long', max: 60, seconds: 60 }
/** Fetched metadata documents of clients: by network, and unknown ones of a host, which strangers could have flooded. */
export const metadataByNetwork: AttemptLimit = { name: 'client-metadata', max: 20, seconds: 60 }
export const metadataOfHost: AttemptLimit = { name: 'client-metadata-host', max: 60, seconds: 60 }
/** Recorded refused sign-ins per account, so that strangers cannot fill its audit log. */
export const refusalsByAccount: AttemptLimit = { name: 'sign-in-refused', max: 20, seconds: 3600 }
export const challengesByNetwork: AttemptLimit = { name: 'challenge', max: 120, seconds: 60 }
/** Further challenges after the limit of the network, for a browser that has proved this mailbox before. */
export const challengesByKnownBrowser: AttemptLimit = { name: 'challenge-known-browser', max: 10, seconds: 60 }
/** Wrong mail codes of a network. Above the limit, the second wrong attempt ends a code. */
export const refusedCodesByNetwork: AttemptLimit = { name: 'mail-code', max: 60, seconds: 3600 }
export const applicationsByAccount: AttemptLimit = { name: 'application', max: 20, seconds: 86_400 }
/** New and changed URLs of webhooks, since each causes DNS queries and connections. */
export const webhookPlacesByAccount: AttemptLimit = { name: 'webhook-place', max: 20, seconds: 3600 }

/** Test messages and repeated deliveries, since each is a request to another machine. */
export const webhookSendsByAccount: AttemptLimit = { name: 'webhook-send', max: 60, seconds: 3600 }

/** Tests of sources, since each causes requests to another machine. */
export const sourceTestsByAccount: AttemptLimit = { name: 'source-test', max: 60, seconds: 3600 }

/** Reads of public snapshots, which need no session. */
export const snapshotReadsByNetwork: AttemptLimit = { name: 'snapshot-read', max: 600, seconds: 60 }

/** Previews and requests of snapshots by teams of spaces, since each reads a whole list. */
export const snapshotsByAccount: AttemptLimit = { name: 'snapshot', max: 60, seconds: 3600 }

/** Look-ups of members of snapshots on the pages, since each signs a statement. */
export const snapshotLookUpsByAccount: AttemptLimit = { name: 'snapshot-look-up', max: 600, seconds: 60 }

/** Searches from the pages: one for each pause while a user types. */
export const searchesByAccount: AttemptLimit = { name: 'search', max: 120, seconds: 60 }

/** Public pages of communities. They use the query path without a token, so no quota limits them. */
export const communityPagesByNetwork: AttemptLimit = { name: 'community-page', max: 600, seconds: 60 }

/** Images of public pages for link previews. One costs about a quarter of a second of a core, unless it is in memory. */
export const shareImagesByNetwork: AttemptLimit = { name: 'share-image', max: 120, seconds: 60 }

/** Uploaded logos of spaces. Drawing one costs about a tenth of a second of a core. */
export const logosByAccount: AttemptLimit = { name: 'space-logo', max: 30, seconds: 3600 }

/** Reads of logos. A first visit of the home page reads 24, and many visitors can share one address. */
export const logoReadsByNetwork: AttemptLimit = { name: 'logo-read', max: 6000, seconds: 60 }

/** Reads of uploaded pictures, which need no session. */
export const avatarReadsByNetwork: AttemptLimit = { name: 'avatar-read', max: 1200, seconds: 60 }

/** Checks of invitations for operators, which need no session. */
export const invitationReadsByNetwork: AttemptLimit = { name: 'operator-invitation', max: 120, seconds: 60 }

/** Claims of quests, since each may query APIs of credentials. */
export const claimsByAccount: AttemptLimit = { name: 'claim', max: 60, seconds: 60 }

/** Readiness for a quest, and lists of own quests: many reads, and queries to APIs. */
export const questReadsByAccount: AttemptLimit = { name: 'quest-read', max: 120, seconds: 60 }

/** Checks at the sources of credentials on demand, since each is a request to another machine. */
export const verificationsByAccount: AttemptLimit = { name: 'verify', max: 20, seconds: 60 }
export const verificationsBySource: AttemptLimit = { name: 'verify-source', max: 120, seconds: 60 }

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
  limit: AttemptLimit,
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
  limit: AttemptLimit,
  subject: string,
): Promise<Pick<AttemptCount, 'exceeded' | 'retryAfter'>> {
  const { windowStart, retryAfter } = windowOf(services, limit)
  const attempts = await attemptsOf(services.database, `${limit.name}:${subject}`, windowStart)
  return { exceeded: attempts >= limit.max, retryAfter }
}

function windowOf({ clock }: { clock: Clock }, limit: AttemptLimit): { windowStart: number; retryAfter: number } {
  const now = Math.floor(clock.now() / SECOND)
  const windowStart = now - (now % limit.seconds)
  return { windowStart, retryAfter: windowStart + limit.seconds - now }
}

/** The identifier of a client in limits: an IPv4 address, or the /64 of an IPv6 address, in canonical form. */
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
  // The URL parser returns the canonical form (RFC 5952) with hexadecimal groups only.
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const [head = '', tail] = canonical.split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - before.length - after.length }, () => '0')
  return [...before, ...zeros, ...after].map((group) => Number.parseInt(group, 16))
}
