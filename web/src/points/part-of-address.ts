import { looksLikeAddress } from '../../../server/src/addresses/looks-like-address.ts'

const WALLET =
  /^(?:(?:evm:)?0x[0-9a-f]{40}|(?:aptos:)?0x[0-9a-f]{60,64}|(?:inj|sei)1[0-9a-z]{38}|(?:solana:)?[1-9A-HJ-NP-Za-km-z]{43,44})$/i

/** Texts that can also be the names of members: special addresses of Aptos, addresses of Flow, and mail addresses. */
const OTHER_ADDRESS = /^(?:0x(?:[0-9a-f]|[0-9a-f]{16})|[^\s@]+@[^\s@]+)$/i

/** The address of a wallet names one member. The member can be new. */
export const isWallet = (text: string): boolean => WALLET.test(text)

/** Whether a text looks like an address, but is none. The service refuses it as a new member by the same rule. */
export function isPartOfAddress(text: string): boolean {
  const member = text.replace(/^@\s*/, '')
  return looksLikeAddress(member.toLowerCase()) && !WALLET.test(member) && !OTHER_ADDRESS.test(member)
}
