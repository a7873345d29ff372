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
}

/** The addresses of an account or an address, and the spaces in which they have points. @throws ApiError not_found */
export async function readSubject(kysely: Kysely<DB>, of: { account: string } | { address: string }): Promise<Subject> {
  if ('address' in of) {
    const addresses = [of.address]
    return { account: null, addresses, boards: await boardsOf(kysely, addresses) }
  }
  const found = await findAccountByName(kysely, of.account.trim())
  if (!found) throw notFound('Account')
  const addresses = await addressesOfAccount(kysely, found.id)
  const account = { id: found.id, username: found.username }
  return { account, addresses, boards: await boardsOf(kysely, addresses) }
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
