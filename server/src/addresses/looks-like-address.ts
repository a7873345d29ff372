/**
 * A handle such as `0xmaki`: shorter than 30 characters, with one that is not a hex digit. Two dots in a row are in
 * shortened addresses only.
 */
const HANDLE = /^0x(?!.*\.\.)(?=[0-9a-f]*[^0-9a-f])[a-z0-9_.-]{1,27}$/

/** Whether the canonical form of a member begins as an address and is no handle. The address may be incomplete or mistyped. */
export const looksLikeAddress = (member: string): boolean => /^(?:0x|evm:|solana:)/.test(member) && !HANDLE.test(member)
