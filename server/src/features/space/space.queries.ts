import { type Fields, type Reader, statement, type Value } from '../../database/statement.ts'
import type { Ground } from '../../graphql/grounds.ts'

const entryOf = ([points, address, username, avatar]: Fields) =>
  ({ points: Number(points), address, username, avatar }) as EntryRow

export interface SpaceRow {
  /** Changes whenever the row does. */
  version: string
  id: string
  name: string
  description: string | null
}

/** What a page shows of a member; `rank` and `position` are worked out by the reader. */
export interface EntryRow {
  points: number
  address: string
  username: string
  avatar: string
}

interface FirstPageRow extends Omit<EntryRow, 'address'> {
  version: number
  member_count: number
  address: string | null // null beside an empty board
}

const spaceById = statement<SpaceRow>(
  'space.by-id',
  'SELECT xmin::text AS version, space_id::text AS id, name, description FROM spaces WHERE space_id = $1',
)

const spaceVersion = statement<{ version: string }>(
  'space.version',
  'SELECT version::text FROM space_versions WHERE space_id = $1',
)

const spaceAndSprint = statement<{ space: boolean; sprint: boolean }>(
  'space.exists',
  `SELECT EXISTS (SELECT FROM spaces WHERE space_id = $1) AS space,
          EXISTS (SELECT FROM sprints WHERE space_id = $1 AND sprint_id = $2) AS sprint`,
)

// The version and the rows come from one snapshot, so the first page is the board of exactly that version.
const firstPage = statement<FirstPageRow>(
  'space.first-page',
  `SELECT v.version, b.member_count, e.points, e.address, e.username, e.avatar
   FROM boards b JOIN space_versions v ON v.space_id = b.space_id
   LEFT JOIN LATERAL (
     SELECT ~descent AS points, address, username, avatar FROM board_entries
     WHERE space_id = b.space_id AND sprint_id = b.sprint_id AND born <= v.version AND died > v.version
     ORDER BY descent, address LIMIT $3
   ) e ON true
   WHERE b.space_id = $1 AND b.sprint_id = $2`,
  ([version, memberCount, ...entry]) => ({
    version: Number(version),
    member_count: Number(memberCount),
    ...(entry[1] === null ? { points: 0, address: null, username: '', avatar: '' } : entryOf(entry)),
  }),
)

const pageAfter = statement<EntryRow>(
  'space.page-after',
  `SELECT ~descent AS points, address, username, avatar FROM board_entries
   WHERE space_id = $1 AND sprint_id = $2 AND born <= $3 AND died > $3 AND (descent, address) > (~$4::int, $5)
   ORDER BY descent, address LIMIT $6`,
  entryOf,
)

const pageBefore = statement<EntryRow>(
  'space.page-before',
  `SELECT ~descent AS points, address, username, avatar FROM board_entries
   WHERE space_id = $1 AND sprint_id = $2 AND born <= $3 AND died > $3 AND (descent, address) < (~$4::int, $5)
   ORDER BY descent DESC, address DESC LIMIT $6`,
  entryOf,
)

const tiesBefore = statement<{ ties: number }>(
  'space.ties-before',
  `SELECT count(*)::int AS ties FROM board_entries
   WHERE space_id = $1 AND sprint_id = $2 AND born <= $3 AND died > $3 AND descent = ~$4::int AND address < $5`,
)

/** A place in the board of one version. */
export interface Place {
  spaceId: number
  sprintId: number
  version: number
  points: number
  address: string
}

/** A space, with what says whether it has changed since. */
export async function findSpace(
  reader: Reader,
  spaceId: number,
): Promise<{ space: Readonly<SpaceRow>; ground: Ground } | undefined> {
  const [space] = await reader.readShared(spaceById, [spaceId])
  return space && { space, ground: { statement: spaceById, values: [spaceId], version: space.version } }
}

/** Every change of any board of a space moves its version. */
export function boardsUnchanged(spaceId: number, version: number): Ground {
  return { statement: spaceVersion, values: [spaceId], version: String(version) }
}

export async function findSpaceAndSprint(
  reader: Reader,
  spaceId: number,
  sprintId: number,
): Promise<{ space: boolean; sprint: boolean }> {
  const [found] = await reader.read(spaceAndSprint, [spaceId, sprintId])
  return found ?? { space: false, sprint: false }
}

/** The first rows of the newest version; undefined when there is no such board. */
export async function readFirstPage(
  reader: Reader,
  spaceId: number,
  sprintId: number,
  limit: number,
): Promise<{ version: number; memberCount: number; rows: EntryRow[] } | undefined> {
  const rows = await reader.read(firstPage, [spaceId, sprintId, limit])
  const [first] = rows
  if (!first) return undefined
  const entries = first.address === null ? [] : (rows as EntryRow[])
  return { version: first.version, memberCount: first.member_count, rows: entries }
}

/** The rows that follow a place, nearest first. */
export async function readAfter(reader: Reader, place: Place, limit: number): Promise<EntryRow[]> {
  return reader.read(pageAfter, [...at(place), limit])
}

/** The rows that stand before a place, nearest first. */
export async function readBefore(reader: Reader, place: Place, limit: number): Promise<EntryRow[]> {
  return reader.read(pageBefore, [...at(place), limit])
}

/** How many members with the same points stand before a place. */
export async function countTiesBefore(reader: Reader, place: Place): Promise<number> {
  return (await reader.read(tiesBefore, at(place)))[0]?.ties ?? 0
}

function at(place: Place): Value[] {
  return [place.spaceId, place.sprintId, place.version, place.points, place.address]
}
