/** The address that stands for an account without a wallet: a random UUID. Pages show the account instead. */
export const isAccountAddress = (address: string): boolean =>
  /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(address)

/** Whether public pages show this address of a member. They show only a part of mail addresses. */
export const isPublicAddress = (address: string): boolean => !address.includes('@') && !isAccountAddress(address)

/**
 * The label of an account in place of its own address. After a merge, an account has several: they differ by their first digits.
 * @param addresses all addresses that the page shows
 */
export function accountLabel(account: string, address: string, addresses: readonly string[]): string {
  const own = new Set(addresses.filter(isAccountAddress))
  return own.size > 1 ? `${account} (${address.slice(0, 8)})` : account
}
