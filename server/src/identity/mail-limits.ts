import { hashOf } from '../secrets/oauth-token-format.ts'
import { findOwner } from '../accounts/account.queries.ts'
import { tooManyRequests } from '../api/api-error.ts'
import { type AttemptCount, type AttemptLimit, countAttempt, giveAttemptBack } from '../rate-limit/rate-limit.ts'
import { hasSessionStarted, whenSessionsEnded } from '../audit/audit.queries.ts'
import type { Services } from '../services.ts'

/** Mails that one network may have us send to one address. */
const mailsToAddressOfNetwork: AttemptLimit = { name: 'mail-address-network', most: 5, seconds: 3600 }
/** Mails to one address for all strangers together: nobody's mailbox is to be filled from here. */
export const mailsToAddress: AttemptLimit = { name: 'mail', most: 30, seconds: 3600 }
/** Mails to one address, beyond those, for all networks together in which its account was signed in. */
export const mailsToKnownNetworks: AttemptLimit = { name: 'mail-known-networks', most: 30, seconds: 3600 }
/** Mails to an address for a browser that has proved it before, which no stranger can use up. */
const mailsToKnownBrowser: AttemptLimit = { name: 'mail-known-browser', most: 5, seconds: 3600 }
/** The same for all these browsers together: whoever has the mailbox makes as many as he likes, and may lose it. */
const mailsToKnownBrowsers: AttemptLimit = { name: 'mail-known-browsers', most: 30, seconds: 3600 }
/** Mails that one network may have us send, to whomever: this is no relay. */
const mailsOfNetwork: AttemptLimit = { name: 'mail-network', most: 60, seconds: 3600 }
/** Mails for known browsers of one network, which others of the network cannot use up. */
const mailsOfKnownInNetwork: AttemptLimit = { name: 'mail-network-known', most: 60, seconds: 3600 }
const ofNetworks: readonly AttemptLimit[] = [mailsOfNetwork, mailsOfKnownInNetwork]

type Share = readonly [limit: AttemptLimit, who: string]

/** What a mail took from the shares of its mailbox. */
export type CountedMail = readonly AttemptCount[]

/**
 * Nothing that strangers in other networks do keeps a user from a code who has signed in with this address before, in this
 * browser, or in this network with any browser: they have shares of their own. @throws ApiError too_many_requests
 */
export async function countMail(
  services: Services,
  address: string,
  network: string,
  browser: string | undefined,
): Promise<CountedMail> {
  // Whoever has `name+tag@host` does not use up the shares of who has proved `name@host`: they may be two.
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

/** Most mail servers put what is sent to `name+anything@host` into the mailbox of `name@host`. */
const withoutTag = (address: string) => address.replace(/(?<=.)\+.*(?=@)/, '')

/** For a mail that was not sent. What it took from its network's share stays taken: to be asked is work, too. */
export async function giveMailBack(services: Services, counted: CountedMail): Promise<void> {
  for (const attempt of counted) await giveAttemptBack(services, attempt)
}

/** Counts in this order until one share is used up. */
async function countAll(
  services: Services,
  shares: readonly Share[],
): Promise<{ counted: AttemptCount[]; beyond?: AttemptCount }> {
  const counted: AttemptCount[] = []
  for (const [limit, who] of shares) {
    const count = await countAttempt(services, limit, who)
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
