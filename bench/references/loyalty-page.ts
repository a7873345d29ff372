/** A page of a board as a handler written by hand makes it of the service's rows. */
export const PAGE = 50

/** A member's place on a board; `position` counts members, `rank` is shared by members with the same points. */
export interface Place {
  points: number
  address: string
  position: number
  rank: number
}

/** The contents of a cursor, and of a request to the handler without GraphQL. */
export interface PlaceInBoard extends Place {
  spaceId: number
  version: number
  totalCount: number
}

/** A row of the service's statement; where no member follows there is one without. */
export interface Entry {
  points: number
  address: string
  username: string
  avatar: string
}

/** Of the rows behind a place, of which there is one more than fits when another page follows. */
export function loyaltyPage(found: readonly (Entry | { address: null })[], behind: PlaceInBoard) {
  const rows = found.filter((row) => row.address !== null)
  let last: Place = behind
  const list = rows.slice(0, PAGE).map(({ points, address, username, avatar }) => {
    const position = last.position + 1
    last = { points, address, position, rank: points === last.points ? last.rank : position }
    return { rank: last.rank, points, address: { username, address, avatar } }
  })
  const { spaceId, version, totalCount } = behind
  const endCursor = writeCursor({ spaceId, version, totalCount, ...last })
  return { totalCount, pageInfo: { hasNextPage: rows.length > PAGE, endCursor }, list }
}

/** Neither sealed nor checked: a client could write such a cursor. */
export function writeCursor(place: PlaceInBoard): string {
  return Buffer.from(JSON.stringify(place)).toString('base64url')
}

export function readCursor(cursor: string): PlaceInBoard {
  return JSON.parse(Buffer.from(cursor, 'base64url').toString()) as PlaceInBoard
}
