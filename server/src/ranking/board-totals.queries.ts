import type { Kysely } from 'kysely'
import { numberArray, textArray } from '@questboard/pg-read-pipeline'
import { nullableArray } from '../database/nullable-array.ts'
import { preparedWrite } from '../database/prepared-write.ts'
import type { DB } from '../database/tables.ts'
import { HAS_BANS } from './banned-members.queries.ts'
import type { Name } from './boards.queries.ts'
import { RULES_NEED_AWARDS } from './rule-events.queries.ts'

/** The row of a member on a board. */
export interface StoredEntry {
  points: number
  /** The row's ctid, which is valid while the space is locked. */
  ctid: string
}

// One text instead of many rows, which the client reads several times as fast. Without statistics, PostgreSQL prefers
// board_entries_by_rank, and reads the whole board for each member. Only the primary key has the order of ORDER BY, and
// BETWEEN keeps the planner from ignoring this order.
const standing = preparedWrite<{ places: string | null; bans: boolean; rules: boolean }>(
  'awards.places',
  `SELECT string_agg(coalesce((
     SELECT e.points || e.ctid::text FROM board_entries e
     WHERE e.space_id = $1 AND e.sprint_id = m.sprint_id AND e.address BETWEEN m.address AND m.address
     ORDER BY e.address
   ), ''), ';' ORDER BY m.place) AS places, ${HAS_BANS} AS bans, ${RULES_NEED_AWARDS} AS rules
   FROM unnest($2::int[], $3::text[]) WITH ORDINALITY AS m (sprint_id, address, place)`,
)

/**
 * The rows of members, in the order of `members`; undefined for members that are not on the board. `bans`: some members
 * of the space are banned. `rules`: rules of the space need its awards.
 */
export async function storedEntriesOf(
  trx: Kysely<DB>,
  spaceId: number,
  members: readonly { sprintId: number; address: string }[],
): Promise<{ places: (StoredEntry | undefined)[]; bans: boolean; rules: boolean }> {
  const sprints = numberArray(members.map((member) => member.sprintId))
  const [row] = await standing(trx, [spaceId, sprints, textArray(members.map((member) => member.address))])
  const places = (row?.places ?? '').split(';').map((place) => {
    const end = place.indexOf('(')
    return end === -1 ? undefined : { points: Number(place.slice(0, end)), ctid: place.slice(end) }
  })
  return { places, bans: row?.bans ?? false, rules: row?.rules ?? false }
}

// The changes are noted for the version that the first function creates.
const totals = preparedWrite<{ written: number }>(
  'awards.totals',
  `SELECT apply_totals($1, $2::int[], $3::text[], $4::int[], $5::tid[], $6::text[], $7::text[], $8, $9) AS written,
          note_changes($1, $2::int[], $10::int[], $4::int[])`,
)

/** The time of a new version. */
export interface VersionTime {
  now: Date
  since: Date | null
}

/** A member's new total on one board. */
export interface NewTotal {
  sprintId: number
  address: string
  points: number
  /** The current row; undefined for a new member, whose name is in `names`. */
  place: StoredEntry | undefined
}

/**
 * Creates the next version of a space with these totals. The space has been locked since the rows were read.
 * @param since skips recording the time of the version if one was recorded after this; null: records none
 */
export async function applyTotals(
  trx: Kysely<DB>,
  spaceId: number,
  changed: readonly NewTotal[],
  names: ReadonlyMap<string, Name>,
  { now, since }: VersionTime,
): Promise<void> {
  // Existing members keep their names.
  const shown = (part: keyof Name) => textArray(changed.map(({ address }) => names.get(address)?.[part] ?? ''))
  const [row] = await totals(trx, [
    spaceId,
    numberArray(changed.map((total) => total.sprintId)),
    textArray(changed.map((total) => total.address)),
    numberArray(changed.map((total) => total.points)),
    `{${changed.map(({ place }) => (place ? `"${place.ctid}"` : 'NULL')).join(',')}}`,
    shown('username'),
    shown('avatar'),
    now,
    since,
    nullableArray(changed.map(({ place }) => place?.points)),
  ])
  if (row?.written !== changed.length)
    throw new Error(`${row?.written ?? 0} of ${changed.length} members were unchanged since they were read`)
}
