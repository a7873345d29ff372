import { type Fields, type Reader, sharedLookup, statement } from '@questboard/pg-read-pipeline'
import type { EntryRow } from './space.queries.ts'

/**
 * The number of members of board ($1, $2) with more points than an expression: the counts of the board for all points
 * above the range that contains these points, the changes since these counts, and the members of the range itself with more points.
 * A range of the last level is one number of points, so no member of it has more.
 * A board without counts is one range.
 */
const membersAbove = (points: string) => `(
  SELECT t.above + (
      SELECT coalesce(sum(cardinality(new_points) - width_bucket(r.last, new_points)
        - cardinality(old_points) + width_bucket(r.last, old_points)), 0)
      FROM board_moves
      WHERE space_id = $1 AND sprint_id = $2 AND version > (
        SELECT version FROM board_counted WHERE space_id = $1 AND sprint_id = $2)
    ) + CASE WHEN t.level < 3 THEN (
      SELECT count(*) FROM board_entries
      WHERE space_id = $1 AND sprint_id = $2 AND descent >= ~r.last AND descent < ~(${points})
    ) ELSE 0 END
  FROM (SELECT (${points})::bigint + 2147483648 AS biased) u
  CROSS JOIN LATERAL (
    SELECT coalesce(sum(n.counts[((u.biased >> (24 - 8 * q.level)) & 255) + 2]), 0) AS above,
           coalesce(max(q.level), -1) AS level
    FROM generate_series(0, 3) AS q (level)
    JOIN board_counts n ON n.space_id = $1 AND n.sprint_id = $2 AND n.level = q.level
      AND n.prefix = u.biased >> (32 - 8 * q.level)
  ) t
  CROSS JOIN LATERAL (
    SELECT ((((u.biased >> (24 - 8 * t.level)) + 1) << (24 - 8 * t.level)) - 1 - 2147483648)::int AS last
  ) r)`

// A separate statement, because one with an array of one address is slower.
const memberRank = statement<MemberRow>(
  'space.member-rank',
  `SELECT v.version, b.member_count AS total, ~m.descent AS points,
          CASE WHEN m.descent IS NOT NULL THEN (1 + ${membersAbove('~m.descent')})::int END AS rank
   FROM boards b
   JOIN space_versions v ON v.space_id = b.space_id
   LEFT JOIN board_entries m ON m.space_id = $1 AND m.sprint_id = $2 AND m.address = $3
   WHERE b.space_id = $1 AND b.sprint_id = $2`,
)

// One snapshot for the version, the members and the counts.
const memberRanks = statement<MemberRow>(
  'space.member-ranks',
  `SELECT v.version, b.member_count AS total, ~m.descent AS points,
          CASE WHEN m.descent IS NOT NULL THEN (1 + ${membersAbove('~m.descent')})::int END AS rank
   FROM boards b
   JOIN space_versions v ON v.space_id = b.space_id
   CROSS JOIN unnest($3::text[]) WITH ORDINALITY AS a (address, place)
   LEFT JOIN board_entries m ON m.space_id = $1 AND m.sprint_id = $2 AND m.address = a.address
   WHERE b.space_id = $1 AND b.sprint_id = $2 ORDER BY a.place`,
)

export interface MemberRow {
  version: number
  /** The number of members on the board. */
  total: number
  /** Null if the address is not on the board. */
  points: number | null
  rank: number | null
}

/** The ranks of addresses at one version of a board, in their order; empty if the board does not exist. */
export async function readMembers(
  reader: Reader,
  spaceId: number,
  sprintId: number,
  addresses: readonly string[],
): Promise<MemberRow[]> {
  const [only, ...others] = addresses
  return only === undefined || others.length > 0
    ? reader.read(memberRanks, [spaceId, sprintId, addresses])
    : reader.read(memberRank, [spaceId, sprintId, only])
}

interface Place {
  spaceId: number
  sprintId: number
  address: string
}

const boardOf = ({ spaceId, sprintId }: Place) => `${spaceId}/${sprintId}`
const nameOf = (place: Place) => `${boardOf(place)}/${place.address}`

/**
 * The rank of one address at the newest version of a board; undefined if the board does not exist. One statement serves
 * all requests for members of this board that arrive while another one runs. Traces and replicas have a reader for each
 * request, which shares nothing.
 */
export const readMember = sharedLookup<Place, MemberRow>(
  nameOf,
  async (reader, places) => {
    const [{ spaceId, sprintId }] = places as [Place]
    const addresses = places.map(({ address }) => address)
    const rows = await readMembers(reader, spaceId, sprintId, addresses)
    return new Map(rows.map((row, index) => [nameOf(places[index] as Place), row]))
  },
  boardOf,
)

/*
 * The members around one, in one snapshot. Depending on whether a row has more points than the member, the rows determine
 * its position, or the number of members with at least its points does.
 */
const aroundMember = statement<AroundRow>(
  'space.around',
  `WITH m AS MATERIALIZED (
     SELECT v.version, b.member_count, e.descent, e.address
     FROM boards b
     JOIN space_versions v ON v.space_id = b.space_id
     JOIN board_entries e ON e.space_id = $1 AND e.sprint_id = $2 AND e.address = $3
     WHERE b.space_id = $1 AND b.sprint_id = $2
   ), shown AS MATERIALIZED (
     SELECT e.* FROM m CROSS JOIN LATERAL (
       (SELECT true AS before, descent, address, username, avatar FROM board_entries
        WHERE space_id = $1 AND sprint_id = $2 AND (descent, address) < (m.descent, m.address)
        ORDER BY descent DESC, address DESC LIMIT $4)
       UNION ALL
       (SELECT false, descent, address, username, avatar FROM board_entries
        WHERE space_id = $1 AND sprint_id = $2 AND (descent, address) >= (m.descent, m.address)
        ORDER BY descent, address LIMIT $4 + 1)
     ) e
   ), f AS MATERIALIZED (
     SELECT m.version, m.member_count, ~m.descent AS points, (1 + ${membersAbove('~m.descent')})::int AS rank,
            CASE WHEN s.first < m.descent THEN (1 + ${membersAbove('~s.first')})::int END AS first_rank,
            CASE WHEN s.first < m.descent THEN NULL
                 WHEN m.descent = 2147483647 THEN m.member_count
                 ELSE ${membersAbove('(~m.descent) - 1')}::int END AS as_many
     FROM m CROSS JOIN (SELECT min(descent) AS first FROM shown) s
   )
   SELECT f.version, f.member_count, f.points, f.rank, f.first_rank, f.as_many, s.before,
          ~s.descent, s.address, s.username, s.avatar
   FROM f CROSS JOIN shown s ORDER BY s.descent, s.address`,
  (fields) => ({
    version: Number(fields[0]),
    memberCount: Number(fields[1]),
    points: Number(fields[2]),
    rank: Number(fields[3]),
    firstRank: fields[4] === null ? undefined : Number(fields[4]),
    asMany: fields[5] === null ? undefined : Number(fields[5]),
    before: fields[6] === 't',
    entry: entryOf(fields),
  }),
)

const entryOf = (fields: Fields) =>
  ({ points: Number(fields[7]), address: fields[8], username: fields[9], avatar: fields[10] }) as EntryRow

interface AroundRow extends Omit<Around, 'rows' | 'before'> {
  before: boolean
  entry: EntryRow
}

export interface Around {
  version: number
  memberCount: number
  /** The points and the rank of the member. */
  points: number
  rank: number
  /** The rank of the first row, if it has more points. */
  firstRank: number | undefined
  /** The number of members with at least these points, if no row has more. */
  asMany: number | undefined
  /** At most `size` members before it, the member, and at most `size` after it. */
  rows: EntryRow[]
  /** The number of rows before the member. */
  before: number
}

/** A member with its neighbours in the newest version of a board; undefined if it is not on the board. */
export async function readAround(
  reader: Reader,
  { spaceId, sprintId, address }: { spaceId: number; sprintId: number; address: string },
  size: number,
): Promise<Around | undefined> {
  const found = await reader.read(aroundMember, [spaceId, sprintId, address, size])
  const [first] = found
  if (!first) return undefined
  return { ...first, rows: found.map(({ entry }) => entry), before: found.filter(({ before }) => before).length }
}
