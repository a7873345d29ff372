import type { Kysely } from 'kysely'
import { findAccountByName } from '../accounts/account.queries.ts'
import type { DB } from '../database/tables.ts'
import { notFound } from '../errors.ts'
import { spacesOfMember } from '../ranking/boards-removal.queries.ts'
import type { Ban } from './bans.queries.ts'
import { addressesOfAccount } from './coverage.queries.ts'
import { namesOfSpaces } from './subject.queries.ts'

export interface Board {
  spaceId: number
  name: string
}

/** The addresses that a ban would cover, and the spaces in which they have points. */
export interface Subject {
  account: { id: string; username: string } | null
  addresses: string[]
  boards: Board[]
  /** The account with the username or ID that is given as the address. A ban of the address does not cover it. */
  accountOfName: { id: string; username: string } | null
}

/** The addresses of an account or an address, and the spaces in which they have points. @throws ApiError not_found */
export async function readSubject(kysely: Kysely<DB>, of: { account: string } | { address: string }): Promise<Subject> {
  const found = await findAccountByName(kysely, 'address' in of ? of.address : of.account.trim())
  const account = found ? { id: found.id, username: found.username } : null
  if ('address' in of) {
    const addresses = [of.address]
    return { account: null, addresses, boards: await boardsOf(kysely, addresses), accountOfName: account }
  }
  if (!account) throw notFound('Account')
  const addresses = await addressesOfAccount(kysely, account.id)
  return { account, addresses, boards: await boardsOf(kysely, addresses), accountOfName: null }
}

/** The spaces of a ban in which its addresses have points. */
export async function boardsOfBan(kysely: Kysely<DB>, { addresses, spaceId }: Ban): Promise<Board[]> {
  const boards = await boardsOf(kysely, addresses)
  return spaceId === null ? boards : boards.filter((board) => board.spaceId === spaceId)
}

async function boardsOf(kysely: Kysely<DB>, addresses: readonly string[]): Promise<Board[]> {
  const ids = new Set<number>()
  for (const address of addresses) for (const id of await spacesOfMember(kysely, address)) ids.add(id)
  const names = await namesOfSpaces(kysely, [...ids])
  return [...ids].toSorted((a, b) => a - b).map((spaceId) => ({ spaceId, name: names.get(spaceId) ?? '' }))
}
