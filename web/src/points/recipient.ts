import { findNamed, type NamedMember } from '../api/points.ts'
import { isWallet } from '../shell/typed-address.ts'

/** The members that a text names. */
export interface Candidates {
  list: readonly NamedMember[]
  /** Whether the list has all of them. */
  complete: boolean
}

/** Undefined if the text is the address of a wallet, which needs no search, unless points are taken away. */
export async function findCandidates(spaceId: number, text: string, points: number): Promise<Candidates | undefined> {
  return isWallet(text) && points > 0 ? undefined : await findNamed(spaceId, text)
}
