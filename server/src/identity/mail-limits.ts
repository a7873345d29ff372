import { hashOf } from '../secrets/hashes.ts'
import { findOwner } from '../accounts/account.queries.ts'
import { tooManyRequests } from '../errors.ts'
import type { RateLimit } from '../rate-limits/limits.ts'
import { type AttemptCount, countAttempt, refundAttempt } from '../rate-limits/fixed-window.ts'
import { hasSessionStarted, whenSessionsEnded } from '../audit/audit.queries.ts'
import type { Services } from '../services.ts'

/** Mails to one address that one network may request. */
const mailsToAddressOfNetwork: RateLimit = { name: 'mail-address-network', max: 5, seconds: 3600 }
/** Mails to one address that all unknown browsers and networks together may request. Prevents flooding a mailbox. */
export const mailsToAddress: RateLimit = { name: 'mail', max: 30, seconds: 3600 }
/** Additional mails to one address for all networks in which its account has signed in. */
export const mailsToKnownNetworks: RateLimit = { name: 'mail-known-networks', max: 30, seconds: 3600 }
/** Mails to one address for one browser that has proved the address before. */
const mailsToKnownBrowser: RateLimit = { name: 'mail-known-browser', max: 5, seconds: 3600 }
/** The same limit for all such browsers together, because the owner of a mailbox can create any number of them. */
const mailsToKnownBrowsers: RateLimit = { name: 'mail-known-browsers', max: 30, seconds: 3600 }
/** Mails to any address that one network may request. Prevents use as a relay. */
const mailsOfNetwork: RateLimit = { name: 'mail-network', max: 60, seconds: 3600 }
/** Mails that one network may request for known browsers; unknown browsers cannot use them up. */
const mailsOfKnownInNetwork: RateLimit = { name: 'mail-network-known', max: 60, seconds: 3600 }
const ofNetworks: readonly RateLimit[] = [mailsOfNetwork, mailsOfKnownInNetwork]

type Share = readonly [limit: RateLimit, subject: string]

export type CountedMail = readonly AttemptCount[]

/**
 * Counts a mail. Users who have signed in with this address before, in this browser or this network, have separate
 * limits that strangers cannot use up. @throws ApiError too_many_requests
 */
export async function countMail(
  services: Services,
  address: string,
  network: string,
  browser: string | undefined,
): Promise<CountedMail> {
  // `name+tag@host` and `name@host` may belong to two people, so a proof of one does not use the limit of the other.
  const proved = hashOf(address).toString('hex')
  const mailbox = hashOf(withoutTag(address)).toString('hex')
  if (browser !== undefined) {
    const known = await countAll(services, [
      [mailsToKnownBrowser, `${proved}:${browser}`],
      [mailsOfKnownInNetwork, network],
      [mailsToKnownBrowsers, proved],
    ])
    if (known.beyond === undefined) return known.counted
  }
  const ofNetwork = await countAll(services, [
    [mailsOfNetwork, network],
    [mailsToAddressOfNetwork, `${mailbox}:${network}`],
  ])
  if (ofNetwork.beyond) throw tooManyRequests(ofNetwork.beyond.retryAfter)
  let ofAll = await countAll(services, [[mailsToAddress, mailbox]])
  if (ofAll.beyond && (await hasSignedInFrom(services, address, network)))
    ofAll = await countAll(services, [[mailsToKnownNetworks, proved]])
  if (ofAll.beyond) throw tooManyRequests(ofAll.beyond.retryAfter)
  return [...ofNetwork.counted, ...ofAll.counted]
}

/** Most mail servers deliver `name+tag@host` to the mailbox of `name@host`. */
const withoutTag = (address: string) => address.replace(/(?<=.)\+.*(?=@)/, '')

/** Undoes the count of a mail that was not sent, except for the limit of the network. */
export async function refundMail(services: Services, counted: CountedMail): Promise<void> {
  for (const attempt of counted) await refundAttempt(services, attempt)
}

/** Counts in this order and stops at the first limit that is exceeded. */
async function countAll(
  services: Services,
  shares: readonly Share[],
): Promise<{ counted: AttemptCount[]; beyond?: AttemptCount }> {
  const counted: AttemptCount[] = []
  for (const [limit, subject] of shares) {
    const count = await countAttempt(services, limit, subject)
    if (count.exceeded) return { counted, beyond: count }
    if (!ofNetworks.includes(limit)) counted.push(count)
  }
  return { counted }
}

async function hasSignedInFrom({ database: { kysely } }: Services, address: string, network: string): Promise<boolean> {
  const accountId = await findOwner(kysely, 'Email', address)
  if (accountId === undefined) return false
  return hasSessionStarted(kysely, accountId, network, await whenSessionsEnded(kysely, accountId))
}
