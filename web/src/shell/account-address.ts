/** The address that stands for an account without a wallet: its ID. Pages show the account instead. */
export const isAccountAddress = (address: string): boolean =>
  /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(address)

/** Whether public pages show this address of a member. They show only a part of mail addresses. */
export const isPublicAddress = (address: string): boolean => !address.includes('@') && !isAccountAddress(address)
