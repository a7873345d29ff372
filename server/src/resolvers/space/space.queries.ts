import { type Fields, type Reader, statement, type Value } from '@questboard/pg-read-pipeline'
import type { CacheValidator } from '../../graphql/cache-validators.ts'

// Explicit parsers, because boards are the most frequent large results.
const entryOf = ([points, address, username, avatar]: Fields) =>
  ({ points: Number(points), address, username, avatar }) as EntryRow
const pageRowOf = ([version, points, address, username, avatar]: Fields) =>
  ({ version: Number(version), points: Number(points), address, username, avatar }) as PageRow

export interface SpaceRow {
  /** Changes with the row. */
  version: string
  id: string
  name: string
  description: string | null
}

/** A row of a page; the reader computes `rank` and `position`. */
export interface EntryRow {
  points: number
  address: string
  username: string
  avatar: string
}

interface PageRow extends Omit<EntryRow, 'address'> {
  version: number
  address: string | null // null in a result without rows
}

interface FirstPageRow extends PageRow {
  member_count: number
}

const spaceById = statement<SpaceRow>(
  'space.by-id',
  'SELECT xmin::text AS version, space_id::text AS id, name, description FROM spaces WHERE space_id = $1',
  undefined,
  { priority: true },
)

const spaceVersion = statement<{ version: string }>(
  'space.version',
  'SELECT version::text FROM space_versions WHERE space_id = $1',
  undefined,
  { priority: true },
)

const spaceAndSprint = statement<SpaceAndSprint>(
  'space.exists',
  `SELECT EXISTS (SELECT FROM spaces WHERE space_id = $1) AS space,
          EXISTS (SELECT FROM sprints WHERE space_id = $1 AND sprint_id = $2) AS sprint,
          (SELECT version FROM space_versions WHERE space_id = $1 AND NOT EXISTS (
            SELECT FROM boards WHERE space_id = $1 AND sprint_id = $2)) AS version`,
)

export interface SpaceAndSprint {
  space: boolean
  sprint: boolean
  /** The current version of the space if the board does not exist, otherwise null. */
  version: number | null
}

// One snapshot for the version and the rows.
const firstPage = statement<FirstPageRow>(
  'space.first-page',
  `SELECT v.version, e.points, e.address, e.username, e.avatar, b.member_count
   FROM boards b JOIN space_versions v ON v.space_id = b.space_id
   LEFT JOIN LATERAL (
     SELECT ~descent AS points, address, username, avatar FROM board_entries
     WHERE space_id = $1 AND sprint_id = $2 ORDER BY descent, address LIMIT $3
   ) e ON true
   WHERE b.space_id = $1 AND b.sprint_id = $2`,
  (fields) => ({ ...pageRowOf(fields), member_count: Number(fields[5]) }),
)

/** Page of the newest version. */
const pageOfNow = (name: string, beyond: '>' | '<') =>
  statement<PageRow>(
    name,
    `SELECT v.version, e.points, e.address, e.username, e.avatar
     FROM space_versions v LEFT JOIN LATERAL (
       SELECT ~descent AS points, address, username, avatar FROM board_entries
       WHERE space_id = $1 AND sprint_id = $2 AND v.version = $3 AND (descent, address) ${beyond} (~$4::int, $5)
       ORDER BY ${order(beyond)} LIMIT $6
     ) e ON true
     WHERE v.space_id = $1`,
    pageRowOf,
  )

/**
 * Page of an older version: entries unchanged since then, and past entries of that version. $7 limits the scan, because
 * either table may contain few matching rows in a long range.
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

/** A position in one version of a board. */
export interface BoardPosition {
  spaceId: number
  sprintId: number
  version: number
  points: number
  address: string
  /** Estimated range of points of the next page: below 2 to this power. Taken from the previous page. */
  reach: number
}

/** A reader with the newest known versions by space, which decide the statement to try first. */
export interface PageReader {
  reader: Reader
  newestBoards: Map<number, number>
}

/** Finds a space, and how to check later that it is unchanged. */
export async function findSpace(
  reader: Reader,
  spaceId: number,
): Promise<{ space: Readonly<SpaceRow>; validator: CacheValidator } | undefined> {
  const [space] = await reader.readShared(spaceById, [spaceId])
  return space && { space, validator: { statement: spaceById, values: [spaceId], version: space.version } }
}

/** Each change of any board of a space increments its version. */
export function boardValidator(spaceId: number, version: number): CacheValidator {
  return { statement: spaceVersion, values: [spaceId], version: String(version) }
}

export async function findSpaceAndSprint(reader: Reader, spaceId: number, sprintId: number): Promise<SpaceAndSprint> {
  const [found] = await reader.read(spaceAndSprint, [spaceId, sprintId])
  return found ?? { space: false, sprint: false, version: null }
}

/** The first rows of the newest version; undefined if the board does not exist. */
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

/** The rows after a position, nearest first. */
export async function readAfter(from: PageReader, place: BoardPosition, limit: number): Promise<EntryRow[]> {
  return readOn(from, after, place, limit)
}

/** The rows before a position, nearest first. */
export async function readBefore(from: PageReader, place: BoardPosition, limit: number): Promise<EntryRow[]> {
  return readOn(from, before, place, limit)
}

const MAX_HINTS = 10_000

function met({ newestBoards }: PageReader, spaceId: number, version: number): void {
  if (newestBoards.size >= MAX_HINTS) newestBoards.clear()
  newestBoards.set(spaceId, version)
}

/** Added to a reach that was too short: a 16 times larger range. */
const WIDER = 4

async function readOn(from: PageReader, way: typeof after, place: BoardPosition, limit: number): Promise<EntryRow[]> {
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

/** The number of members with equal points before a position. */
export async function countTiesBefore(reader: Reader, place: BoardPosition): Promise<number> {
  return (await reader.read(tiesBefore, at(place)))[0]?.ties ?? 0
}

function at(place: BoardPosition): Value[] {
  return [place.spaceId, place.sprintId, place.version, place.points, place.address]
}
