import { type Kysely, sql } from 'kysely'
import type { DB } from '../database/tables.ts'
import { shortId } from '../ranking/boards.queries.ts'

/** The list to seal, at one version. */
export type Source = {
  name: string
  asOf: Date
} & (
  | { kind: 'space'; spaceId: number; sprintId: number; version: number }
  | { kind: 'credential'; credentialId: string; spaceId: number | null; generation: number }
  | { kind: 'quest'; questId: string; spaceId: number }
)

/**
 * The rows `points, address` of a source without banned members, in the order of ranks, as one query without parameters.
 */
export function sourceRows(source: Source): string {
  return `SELECT points, address FROM (${rowsOf(source)}) AS s WHERE NOT banned ORDER BY points DESC, address`
}

const rowsOf = (source: Source): string => partsOf(source).join(' UNION ALL ')

/** The rows of each table, with `descent`, the order of boards in their index. */
function partsOf(source: Source): string[] {
  const spaces = source.spaceId === null ? '0' : `0, ${number(source.spaceId)}`
  const banned = (table: string) => `EXISTS (
    SELECT FROM ban_addresses a WHERE a.space_id IN (${spaces}) AND a.address = ${table}.address) AS banned`
  switch (source.kind) {
    case 'space': {
      const { version } = source
      const board = boardOf(source)
      const living = `${board} AND born <= ${number(version)}`
      return [
        `SELECT ~descent AS points, descent, address, ${banned('board_entries')} FROM board_entries WHERE ${living}`,
        `SELECT ~descent AS points, descent, address, ${banned('board_past')} FROM board_past
         WHERE ${living} AND died > ${number(version)}`,
      ]
    }
    case 'credential':
      return [
        `SELECT 1 AS points, ~1 AS descent, address, ${banned('credential_holders')} FROM credential_holders
         WHERE credential_id = ${number(source.credentialId)} AND generation = ${number(source.generation)}`,
      ]
    case 'quest':
      return [
        `SELECT 1 AS points, ~1 AS descent, address, ${banned('quest_participants')} FROM quest_participants
         WHERE quest_id = ${text(source.questId)} AND joined_at <= ${text(source.asOf.toISOString())}`,
      ]
  }
}

const boardOf = ({ spaceId, sprintId }: { spaceId: number; sprintId: number }) =>
  `space_id = ${number(spaceId)} AND sprint_id = ${number(sprintId)}`

/** The banned members that were not on the board at the version of a source. */
function absentRows(source: Source): string {
  if (source.kind !== 'space') return ''
  const version = number(source.version)
  return `UNION ALL
    SELECT points, ~points, address, true FROM banned_entries WHERE ${boardOf(source)} AND NOT EXISTS (
      SELECT FROM board_past p WHERE p.space_id = ${number(source.spaceId)} AND p.sprint_id = ${number(source.sprintId)}
        AND p.address = banned_entries.address AND p.born <= ${version} AND p.died > ${version})`
}

/** The DECLARE CURSOR of streamRows has no parameters, so ids are checked again before they become part of the text. */
function number(id: number | string): string {
  if (!/^[0-9]{1,19}$/.test(String(id))) throw new Error(`not a number: ${id}`)
  return String(id)
}

function text(value: string): string {
  if (!/^[\w.:-]{1,100}$/.test(value)) throw new Error('not a plain text')
  return `'${value}'`
}

/** The rows of the Merkle tree. */
const LEAF = sql<boolean>`points >= 0 AND length(address) = 42 AND address ~ '^0x[0-9a-f]{40}$'`

export interface SourceCounts {
  members: number
  /** The sum, as decimal digits. */
  points: string
  /** EVM addresses with 0 or more points. */
  leaves: number
  /** Banned members, which the list leaves out. */
  banned: number
}

export async function countSource(kysely: Kysely<DB>, source: Source): Promise<SourceCounts> {
  const { rows } = await sql<SourceCounts>`
    SELECT count(*) FILTER (WHERE NOT banned) AS members,
      coalesce(sum(points) FILTER (WHERE NOT banned), 0)::text AS points,
      count(*) FILTER (WHERE NOT banned AND ${LEAF}) AS leaves,
      count(*) FILTER (WHERE banned) AS banned
    FROM (${sql.raw(rowsOf(source))} ${sql.raw(absentRows(source))}) AS s`.execute(kysely)
  return rows[0] ?? { members: 0, points: '0', leaves: 0, banned: 0 }
}

export interface SourceMember {
  points: number
  address: string
  isLeaf: boolean
  /** The name on boards if the profile has none. */
  shortId: string
}

interface WantedMembers {
  limit: number
  /** Only members outside of the Merkle tree. */
  leftOut?: boolean
}

/** The first members of a source in the order of ranks, without banned members. */
export async function selectMembers(
  kysely: Kysely<DB>,
  source: Source,
  wanted: WantedMembers,
): Promise<SourceMember[]> {
  return (await membersQuery(source, wanted).execute(kysely)).rows
}

/** Reads each table in the order of its index up to the limit. Exported for its test. */
export function membersQuery(source: Source, { limit, leftOut = false }: WantedMembers) {
  const order = sql`ORDER BY descent, address LIMIT ${limit}`
  const parts = partsOf(source).map(
    (part) => sql`
      (SELECT points, descent, address FROM (${sql.raw(part)}) AS part
       WHERE NOT banned AND ${leftOut ? sql`NOT (${LEAF})` : sql`true`} ${order})`,
  )
  return sql<SourceMember>`
    SELECT points, address, ${LEAF} AS "isLeaf", ${sql.raw(shortId('address'))} AS "shortId"
    FROM (${sql.join(parts, sql` UNION ALL `)}) AS members ${order}`
}

/** The rank of each number of points in the list, in one scan. */
export async function ranksOfPoints(
  kysely: Kysely<DB>,
  source: Source,
  points: readonly number[],
): Promise<Map<number, number>> {
  const different = [...new Set(points)]
  if (different.length === 0) return new Map()
  const ranks = different.map((value) => sql`1 + count(*) FILTER (WHERE points > ${value}::int)`)
  const { rows } = await sql<{ ranks: number[] }>`
    SELECT ARRAY[${sql.join(ranks)}]::int[] AS ranks FROM (${sql.raw(rowsOf(source))}) AS s
    WHERE NOT banned`.execute(kysely)
  return new Map(different.map((value, index) => [value, rows[0]?.ranks[index] ?? 1]))
}

export interface FoundSpace {
  name: string
  sprint: boolean
  /** Null if the space never had points. */
  version: number | null
}

export async function findSpace(
  kysely: Kysely<DB>,
  spaceId: number,
  sprintId: number,
): Promise<FoundSpace | undefined> {
  const { rows } = await sql<FoundSpace>`
    SELECT name, (SELECT version FROM space_versions WHERE space_id = ${spaceId}) AS version,
      ${sprintId} = 0 OR EXISTS (SELECT FROM sprints WHERE space_id = ${spaceId} AND sprint_id = ${sprintId}) AS sprint
    FROM spaces WHERE space_id = ${spaceId}`.execute(kysely)
  return rows[0]
}

/**
 * Records that a version was current at a time, so that a later request can name the time. Returns the last recorded time of
 * the version. Undefined: the version is no longer current, and perhaps was not current at the time.
 */
export async function recordVersionTime(
  kysely: Kysely<DB>,
  spaceId: number,
  version: number,
  at: Date,
): Promise<Date | undefined> {
  const { rows } = await sql<{ asOf: Date }>`
    INSERT INTO space_version_times AS t (space_id, version, recorded_at, last_current_at)
    SELECT v.space_id, v.version, ${at}::timestamptz, ${at}::timestamptz FROM space_versions v
    WHERE v.space_id = ${spaceId} AND v.version = ${version}
    ON CONFLICT (space_id, version) DO UPDATE
      SET last_current_at = greatest(t.recorded_at, t.last_current_at, excluded.recorded_at)
    RETURNING t.last_current_at AS "asOf"`.execute(kysely)
  return rows[0]?.asOf
}

export interface VersionAt {
  version: number | null
  /** The last time, at or before the wanted time, at which the version is recorded as the current one. */
  recordedAt: Date | null
  /** The oldest version that can be read. It was current at the horizon. */
  oldest: number | null
  /** The first recorded time. */
  first: Date | null
}

/**
 * The version that was current at a time, as far as times are recorded. A transaction records the time of its version before
 * its commit. If a reader found an older version current later, the version began after that.
 */
export async function findVersionAt(kysely: Kysely<DB>, spaceId: number, at: Date, horizon: Date): Promise<VersionAt> {
  const { rows } = await sql<VersionAt>`
    SELECT max(version) FILTER (WHERE began <= ${at}) AS version,
      max(least(greatest(last_current_at, began), ${at})) FILTER (WHERE began <= ${at}) AS "recordedAt",
      max(version) FILTER (WHERE began <= ${horizon}) AS oldest, min(began) AS first
    FROM (
      SELECT version, last_current_at, greatest(recorded_at, max(recorded_at) OVER older,
        max(last_current_at) OVER older + interval '1 millisecond') AS began
      FROM space_version_times WHERE space_id = ${spaceId}
      WINDOW older AS (ORDER BY version ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
    ) AS times`.execute(kysely)
  return rows[0] ?? { version: null, recordedAt: null, oldest: null, first: null }
}

export interface FoundCredential {
  name: string
  spaceId: number | null
  generation: number
  credSource: string
  syncStatus: string
}

export async function findCredential(kysely: Kysely<DB>, credentialId: string): Promise<FoundCredential | undefined> {
  const { rows } = await sql<FoundCredential>`
    SELECT name, curator_space_id AS "spaceId", generation, cred_source AS "credSource", sync_status AS "syncStatus"
    FROM credentials WHERE credential_id = ${credentialId}::bigint`.execute(kysely)
  return rows[0]
}

export interface FoundQuest {
  name: string
  spaceId: number
  createdAt: Date
}

export async function findQuest(kysely: Kysely<DB>, questId: string): Promise<FoundQuest | undefined> {
  const { rows } = await sql<FoundQuest>`
    SELECT name, space_id AS "spaceId", created_at AS "createdAt" FROM quests
    WHERE quest_id = ${questId} AND status <> 'Deleted'`.execute(kysely)
  return rows[0]
}
