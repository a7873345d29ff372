import { findNamed, type NamedMember } from '../api/points.ts'

/** The address of a wallet names one member. The member can be new. */
const WALLET =
  /^(?:(?:evm:)?0x[0-9a-f]{40}|(?:aptos:)?0x[0-9a-f]{60,64}|(?:inj|sei)1[0-9a-z]{38}|[1-9A-HJ-NP-Za-km-z]{43,44})$/i

/** Whether a text begins as an address, but is none. The service refuses it as a new member. */
export const isPartOfAddress = (text: string): boolean =>
  /^0x/i.test(text) && !WALLET.test(text) && !/^0x(?:[0-9a-f]|[0-9a-f]{16})$/i.test(text)

/** The members that a text names. */
export interface Candidates {
  list: readonly NamedMember[]
  /** Whether the list has all of them. */
  complete: boolean
}

/** Undefined if the text is the address of a wallet, which needs no search, unless points are taken away. */
export async function findCandidates(spaceId: number, text: string, points: number): Promise<Candidates | undefined> {
  return WALLET.test(text) && points > 0 ? undefined : await findNamed(spaceId, text)
}
