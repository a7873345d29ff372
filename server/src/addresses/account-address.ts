/**
 * The kind of the address that stands for an account without a usable wallet: a random UUID. It is not the ID of the
 * account, which apps with pairwise subjects must not learn. It is stored as an alias of the account, so that bans,
 * referrals, profiles, erasures and merges cover it like every other address.
 */
export const ACCOUNT_ADDRESS = 'AccountAddress'

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i

/** Whether a text has the form of the own address of an account. */
export const isAccountAddress = (text: string): boolean => UUID.test(text.trim())
