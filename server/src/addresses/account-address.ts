/**
 * The kind of the address that stands for an account without a usable wallet: the ID of the account. It is stored as an
 * alias of the account, so that bans, referrals, profiles, erasures and merges cover it like every other address.
 */
export const ACCOUNT_ADDRESS = 'AccountAddress'

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i

/** Whether a text has the form of the ID of an account. */
export const isAccountAddress = (text: string): boolean => UUID.test(text.trim())
