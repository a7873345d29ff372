import { createHash } from 'node:crypto'

/**
 * The kind of the address that stands for an account without a usable wallet: a random UUID. It is not the ID of the
 * account, which apps with pairwise subjects must not learn. It is stored as an alias of the account, so that bans,
 * referrals, profiles, erasures and merges cover it like every other address.
 */
export const ACCOUNT_ADDRESS = 'AccountAddress'

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i

const MARK_LENGTH = 16

/**
 * The name of an own address on public pages, by which the pages of its account recognise it. It does not reveal the address,
 * which is random. Other hidden addresses have none, because they can be guessed.
 */
export const markOf = (address: string): string | undefined =>
  isAccountAddress(address)
    ? createHash('sha256').update(`mark of ${address}`).digest('hex').slice(0, MARK_LENGTH)
    : undefined

/** Whether a text has the form of the own address of an account. */
export const isAccountAddress = (text: string): boolean => UUID.test(text.trim())
