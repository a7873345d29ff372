import { type Fields, type Reader, statement, type Value } from '../../database/statement.ts'
import type { Ground } from '../../graphql/grounds.ts'
import type { PresumedRows } from '../../graphql/presumed-rows.ts'

// Pages are read so often, and have so many rows, that their columns are read without a look at their types.
const entryOf = ([points, address, username, avatar]: Fields) =>
  ({ points: Number(points), address, username, avatar }) as EntryRow
const pageRowOf = ([version, points, address, username, avatar]: Fields) =>
  ({ version: Number(version), points: Number(points), address, username, avatar }) as PageRow

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

interface PageRow extends Omit<EntryRow, 'address'> {
  version: number
  address: string | null // null beside no rows
}

interface FirstPageRow extends PageRow {
  member_count: number
}

const spaceById = statement<SpaceRow>(
  'space.by-id',
  'SELECT xmin::text AS version, space_id::text AS id, name, description FROM spaces WHERE space_id = $1',
  undefined,
  { first: true },
)

const spaceVersion = statement<{ version: string }>(
  'space.version',
  'SELECT version::text FROM space_versions WHERE space_id = $1',
  undefined,
  { first: true },
)

const spaceAndSprint = statement<{ space: boolean; sprint: boolean }>(
  'space.exists',
  `SELECT EXISTS (SELECT FROM spaces WHERE space_id = $1) AS space,
          EXISTS (SELECT FROM sprints WHERE space_id = $1 AND sprint_id = $2) AS sprint`,
)

// The version and the rows come from one snapshot, so the first page is the board of exactly that version.
const firstPage = statement<FirstPageRow>(
  'space.first-page',
  `SELECT v.version, e.points, e.address, e.username, e.avatar, b.member_count
   FROM boards b JOIN space_versions v ON v.space_id = b.space_id
   LEFT JOIN LATERAL (
     SELECT ~descent AS points, address, username, avatar FROM board_entries
     WHERE space_id = b.space_id AND sprint_id = b.sprint_id ORDER BY descent, address LIMIT $3
   ) e ON true
   WHERE b.space_id = $1 AND b.sprint_id = $2`,
  (fields) => ({ ...pageRowOf(fields), member_count: Number(fields[5]) }),
)

/** As long as the version is the newest, the board is what it is now. */
const pageOfNow = (name: string, beyond: '>' | '<') =>
  statement<PageRow>(
    name,
    `SELECT v.version, e.points, e.address, e.username, e.avatar
     FROM space_versions v LEFT JOIN LATERAL (
       SELECT ~descent AS points, address, username, avatar FROM board_entries
       WHERE space_id = v.space_id AND sprint_id = $2 AND v.version = $3 AND (descent, address) ${beyond} (~$4::int, $5)
       ORDER BY ${order(beyond)} LIMIT $6
     ) e ON true
     WHERE v.space_id = $1`,
    pageRowOf,
  )

/**
 * A page of an older version: those who have not changed since, and those of the past who stood there then. $7 bounds
 * what is read of either, because one of them may hold next to nothing of the version for a long way.
 */
const pageOfThen = (name: string, beyond: '>' | '<') => {
  const range = `space_id = $1 AND sprint_id = $2 AND (descent, address) ${beyond} (~$4::int, $5)
          AND descent ${beyond === '>' ? '<=' : '>='} $7::int`
  return statement<EntryRow>(
    name,
    `SELECT ~descent AS points, address, username, avatar FROM (
       (SELECT descent, address, username, avatar FROM board_entries
        WHERE ${range} AND born <= $3 ORDER BY ${order(beyond)} LIMIT $6)
       UNION ALL
       (SELECT descent, address, username, avatar FROM board_past
        WHERE ${range} AND born <= $3 AND died > $3 ORDER BY ${order(beyond)} LIMIT $6)
     ) AS e ORDER BY ${order(beyond)} LIMIT $6`,
    entryOf,
  )
}

const order = (beyond: '>' | '<') => (beyond === '>' ? 'descent, address' : 'descent DESC, address DESC')

const after = { now: pageOfNow('space.page-after', '>'), then: pageOfThen('space.past-page-after', '>'), sign: -1 }
const before = { now: pageOfNow('space.page-before', '<'), then: pageOfThen('space.past-page-before', '<'), sign: 1 }

const tiesBefore = statement<{ ties: number }>(
  'space.ties-before',
  `SELECT (
     SELECT count(*) FROM board_entries
     WHERE space_id = $1 AND sprint_id = $2 AND born <= $3 AND descent = ~$4::int AND address < $5
   )::int + (
     SELECT count(*) FROM board_past
     WHERE space_id = $1 AND sprint_id = $2 AND born <= $3 AND died > $3 AND descent = ~$4::int AND address < $5
   )::int AS ties`,
)

/** A place in the board of one version. */
export interface Place {
  spaceId: number
  sprintId: number
  version: number
  points: number
  address: string
  /** How far a page may lead from there: below 2 to this power points. A guess, from the page that led to the place. */
  reach: number
}

/** Who asks for pages, and the newest versions of boards that were met, by space: a hint which statement will answer. */
export interface PageReader {
  reader: Reader
  newestBoards: Map<number, number>
}

/** A space, with what says whether it has changed since. */
export async function findSpace(
  rows: PresumedRows,
  spaceId: number,
): Promise<{ space: Readonly<SpaceRow>; ground: Ground } | undefined> {
  const space = await rows.find(spaceById, spaceId)
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
  from: PageReader,
  spaceId: number,
  sprintId: number,
  limit: number,
): Promise<{ version: number; memberCount: number; rows: EntryRow[] } | undefined> {
  const rows = await from.reader.read(firstPage, [spaceId, sprintId, limit])
  const [first] = rows
  if (!first) return undefined
  met(from, spaceId, first.version)
  const entries = first.address === null ? [] : (rows as EntryRow[])
  return { version: first.version, memberCount: first.member_count, rows: entries }
}

/** The rows that follow a place, nearest first. */
export async function readAfter(from: PageReader, place: Place, limit: number): Promise<EntryRow[]> {
  return readOn(from, after, place, limit)
}

/** The rows that stand before a place, nearest first. */
export async function readBefore(from: PageReader, place: Place, limit: number): Promise<EntryRow[]> {
  return readOn(from, before, place, limit)
}

const MOST_HINTS = 10_000

function met({ newestBoards }: PageReader, spaceId: number, version: number): void {
  if (newestBoards.size >= MOST_HINTS) newestBoards.clear()
  newestBoards.set(spaceId, version)
}

/** What is added to a reach that was too short: sixteen times as far. */
const WIDER = 4

async function readOn(from: PageReader, way: typeof after, place: Place, limit: number): Promise<EntryRow[]> {
  const { reader, newestBoards } = from
  const { spaceId, version } = place
  if ((newestBoards.get(spaceId) ?? 0) <= version) {
    const rows = await reader.read(way.now, [...at(place), limit])
    met(from, spaceId, rows[0]?.version ?? version)
    if (rows[0]?.version === version) return rows.filter(isEntry)
  }
  const found: EntryRow[] = []
  for (let reach = place.reach; ; reach += WIDER) {
    const last = { ...place, ...found.at(-1) }
    const end = place.points + way.sign * 2 ** (reach + 1)
    const bound = Math.max(-2_147_483_648, Math.min(2_147_483_647, end))
    found.push(...(await reader.read(way.then, [...at(last), limit - found.length, ~bound])))
    if (found.length >= limit || bound !== end) return found
  }
}

const isEntry = <Row extends { address: string | null }>(row: Row): row is Row & EntryRow => row.address !== null

/** How many members with the same points stand before a place. */
export async function countTiesBefore(reader: Reader, place: Place): Promise<number> {
  return (await reader.read(tiesBefore, at(place)))[0]?.ties ?? 0
}

function at(place: Place): Value[] {
  return [place.spaceId, place.sprintId, place.version, place.points, place.address]
}
