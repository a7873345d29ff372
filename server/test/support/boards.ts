import type { Member } from './fixture.ts'

/** A rank on a page of a loyalty board. */
export interface ShownRank {
  rank: number
  points: number
  address: { username: string; address: string; avatar: string }
}

export interface RanksPage {
  totalCount: number
  pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string | null; endCursor: string | null }
  list: ShownRank[]
}

export const PAGE =
  'totalCount pageInfo { hasNextPage hasPreviousPage startCursor endCursor } list { rank points address { username address avatar } }'

/** The order of members as in contract.md, computed in a simple way: by points down, then by address; ranks 1 2 2 4. */
export function expectedStandings(members: readonly Member[]): { rank: number; points: number; address: string }[] {
  const sorted = members.toSorted((a, b) => b.points - a.points || (a.address < b.address ? -1 : 1))
  return sorted.map(({ points, address }) => ({
    rank: 1 + sorted.filter((other) => other.points > points).length,
    points,
    address,
  }))
}

export function standings(list: readonly ShownRank[]): { rank: number; points: number; address: string }[] {
  return list.map(({ rank, points, address }) => ({ rank, points, address: address.address }))
}

export async function readAll(readPage: (cursor: string | null) => Promise<RanksPage>): Promise<RanksPage[]> {
  const pages: RanksPage[] = []
  for (let cursor: string | null = null; ;) {
    const page = await readPage(cursor)
    pages.push(page)
    if (!page.pageInfo.hasNextPage) return pages
    if (pages.length > 1_000) throw new Error('the pages do not end')
    cursor = page.pageInfo.endCursor
  }
}
