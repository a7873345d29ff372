import { type Reader, statement } from '@questboard/pg-read-pipeline'

/** A change of a space: in the ledger, or one that has no entry there (other_board_changes). Changes are in this order. */
export interface ChangePosition {
  version: number
  kind: typeof IN_LEDGER | typeof OTHER
  position: number
}

export const IN_LEDGER = 0
export const OTHER = 1

/** The maximum number of changes that a page reads. */
const SCANNED = 2_000

// A member without a row on the board has left it if it has a change in other_board_changes. Otherwise it is banned. With
// LIMIT, the planner looks each member up by its key, even if it expects few members.
const changes = statement<ChangesRow>(
  'space.changes',
  `WITH scanned AS MATERIALIZED (
     SELECT row_number() OVER (ORDER BY version, kind, position) AS place, e.* FROM (
       (SELECT version, ${IN_LEDGER} AS kind, position, address, source = 'removal' AS removed,
               CASE WHEN $2 = 0 THEN points_before IS NOT NULL OR points_after IS NOT NULL
                    ELSE sprint_id = $2 AND (sprint_before IS NOT NULL OR sprint_after IS NOT NULL) END AS own
        FROM ledger_entries
        WHERE space_id = $1 AND (version, position) >= ($3::bigint, $4::int) AND entered_at >= $9
        ORDER BY version, position LIMIT ${SCANNED})
       UNION ALL
       (SELECT version, ${OTHER}, position, address, false, sprint_id = $2
        FROM other_board_changes WHERE space_id = $1 AND (version, position) >= ($5::bigint, $6::int)
        ORDER BY version, position LIMIT ${SCANNED})
       ORDER BY version, kind, position LIMIT ${SCANNED}
     ) AS e
   ), members AS (
     SELECT address, min(place) AS place, bool_or(kind = ${OTHER}) AS other, bool_or(removed) AS removed
     FROM scanned WHERE own GROUP BY address ORDER BY min(place) LIMIT $10
   ), last AS (
     SELECT version, kind, position FROM scanned
     WHERE place = coalesce((SELECT place - 1 FROM members ORDER BY place OFFSET $10 - 1), ${SCANNED})
   ), board AS (
     SELECT (SELECT version FROM space_versions WHERE space_id = $1) AS newest,
            (SELECT member_count FROM boards WHERE space_id = $1 AND sprint_id = $2) AS total,
            EXISTS (SELECT FROM space_version_times WHERE space_id = $1 AND version > $7 AND recorded_at <= $8) AS expired
   )
   SELECT b.newest, b.total, b.expired, l.version, l.kind, l.position, m.address, m.other, m.removed,
          e.points, e.username, e.avatar
   FROM board b
   LEFT JOIN last l ON true
   LEFT JOIN members m ON true
   LEFT JOIN LATERAL (
     SELECT points, username, avatar FROM board_entries
     WHERE space_id = $1 AND sprint_id = $2 AND address = m.address LIMIT 1
   ) e ON true
   ORDER BY m.place`,
)

interface ChangesRow extends Omit<ChangePosition, 'version'> {
  newest: number | null
  total: number | null
  expired: boolean
  /** The last change of the page; null if no further change exists. */
  version: number | null
  /** Null without members. */
  address: string | null
  other: boolean
  removed: boolean
  points: number | null
  username: string | null
  avatar: string | null
}

/** A member whose row on a board changed. */
export interface ChangedMember {
  address: string
  /** Null if the member left the board. */
  points: number | null
  username: string
  avatar: string
}

export interface Changes {
  /** The version from which the points and names of the members are. */
  version: number
  /** The number of members on the board; undefined if the board does not exist. */
  total: number | undefined
  /** Versions after the requested one are no longer complete, or the board was deleted since then. */
  expired: boolean
  list: ChangedMember[]
  /** The first change that was not read. */
  next: ChangePosition | undefined
}

export interface ChangesOf {
  spaceId: number
  sprintId: number
  from: ChangePosition
  /** The version after which changes are read. */
  since: number
  /** Versions that ended before this time are expired. */
  horizon: Date
  /** A time before all entries of versions that are not expired, so that only their partitions are read. */
  earliest: Date
}

/** The members with changes from a place on, with their rows in the newest version. */
export async function readChanges(
  reader: Reader,
  { spaceId, sprintId, from, since, horizon, earliest }: ChangesOf,
  size: number,
): Promise<Changes> {
  const { version, kind, position } = from
  const inLedger = kind === IN_LEDGER ? [version, position] : [version + 1, 0]
  const others = [version, kind === OTHER ? position : 0]
  const rows = await reader.read(changes, [
    ...[spaceId, sprintId, ...inLedger, ...others],
    ...[since, horizon, earliest, size + 1],
  ])
  const [first] = rows
  const found = rows.filter((row) => row.address !== null)
  const last =
    first && first.version !== null
      ? { version: first.version, kind: first.kind, position: first.position + 1 }
      : undefined
  const shown = found.slice(0, size).filter(({ points, other }) => points !== null || other)
  return {
    version: first?.newest ?? 0,
    total: first?.total ?? undefined,
    expired: first?.expired === true || found.some(({ removed }) => removed),
    list: shown.map((row) => ({
      address: row.address ?? '',
      points: row.points,
      username: row.username ?? '',
      avatar: row.avatar ?? '',
    })),
    next: last,
  }
}
