import { type Kysely, type RawBuilder, sql } from 'kysely'
import { numberArray, textArray } from '@questboard/pg-read-pipeline'
import type { DB } from '../database/tables.ts'

export interface CountedBoard {
  spaceId: number
  sprintId: number
  /** Whether the board is large enough to need counts for ranks. */
  large: boolean
  /** Whether it has a row in `board_counted`, which counting locks. */
  registered: boolean
}

export interface CountNode {
  level: number
  prefix: number
  counts: number[]
}

/** For a smaller board, counting in the index is faster than reading a tree. */
const MIN_MEMBERS = 1_000
const FETCH = 20_000
const STORED_TOGETHER = 200

const ofBoard = ({ spaceId, sprintId }: CountedBoard): RawBuilder<unknown> =>
  sql`space_id = ${spaceId} AND sprint_id = ${sprintId}`

/** The boards with changes that are not counted, and the large boards without counts. */
export async function dueBoards(kysely: Kysely<DB>): Promise<CountedBoard[]> {
  const { rows } = await sql<CountedBoard>`
    SELECT b.space_id AS "spaceId", b.sprint_id AS "sprintId", b.member_count > ${MIN_MEMBERS} AS large,
           c.space_id IS NOT NULL AS registered
    FROM boards b LEFT JOIN board_counted c ON c.space_id = b.space_id AND c.sprint_id = b.sprint_id
    WHERE b.member_count > ${MIN_MEMBERS} AND c.version IS NULL OR EXISTS (
      SELECT FROM board_moves m WHERE m.space_id = b.space_id AND m.sprint_id = b.sprint_id)
    ORDER BY b.space_id, b.sprint_id`.execute(kysely)
  return rows
}

/** Creates the row that `holdCounts` locks, if the board still exists. */
export async function registerBoard(kysely: Kysely<DB>, board: CountedBoard): Promise<void> {
  await kysely.transaction().execute(async (trx) => {
    // A deletion of the board waits for this transaction, and then also deletes the new row.
    const { rows } = await sql`SELECT FROM boards WHERE ${ofBoard(board)} FOR KEY SHARE`.execute(trx)
    if (rows.length === 0) return
    const { spaceId: space_id, sprintId: sprint_id } = board
    await trx
      .insertInto('board_counted')
      .values({ space_id, sprint_id })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  })
}

/**
 * Locks the counts of a board, in the first statement of a transaction, and reads the version that they describe, which
 * is null before the first counts. @returns undefined if another instance counts the board, or if the board was deleted
 */
export async function holdCounts(
  trx: Kysely<DB>,
  board: CountedBoard,
): Promise<{ version: number | null } | undefined> {
  const { rows } = await sql<{ version: number | null }>`
    SELECT version FROM board_counted WHERE ${ofBoard(board)} FOR UPDATE SKIP LOCKED`.execute(trx)
  return rows[0]
}

export async function currentVersion(trx: Kysely<DB>, spaceId: number): Promise<number> {
  const { rows } = await sql<{ version: number }>`
    SELECT version FROM space_versions WHERE space_id = ${spaceId}`.execute(trx)
  return rows[0]?.version ?? 0
}

/** The members of a board by points, fewest points first. */
export async function* histogram(
  trx: Kysely<DB>,
  { spaceId, sprintId }: CountedBoard,
): AsyncGenerator<{ points: number; members: number }> {
  await sql`
    DECLARE counted NO SCROLL CURSOR FOR
    SELECT ~descent AS points, count(*)::int AS members FROM board_entries
    WHERE space_id = ${sql.lit(spaceId)} AND sprint_id = ${sql.lit(sprintId)} GROUP BY descent ORDER BY descent DESC
  `.execute(trx)
  for (;;) {
    const { rows } = await sql<{ points: number; members: number }>`FETCH ${sql.lit(FETCH)} FROM counted`.execute(trx)
    yield* rows
    if (rows.length < FETCH) break
  }
  await sql`CLOSE counted`.execute(trx)
}

/** The change in the number of members with each number of points, since a version. */
export async function changesSince(
  trx: Kysely<DB>,
  board: CountedBoard,
  version: number,
): Promise<{ points: number; members: number }[]> {
  const { rows } = await sql<{ points: number; members: number }>`
    SELECT points, sum(members)::int AS members FROM (
      SELECT unnest(new_points) AS points, 1 AS members FROM board_moves
      WHERE ${ofBoard(board)} AND version > ${version}
      UNION ALL
      SELECT unnest(old_points), -1 FROM board_moves WHERE ${ofBoard(board)} AND version > ${version}
    ) AS moved GROUP BY points HAVING sum(members) <> 0`.execute(trx)
  return rows
}

export async function deleteChanges(trx: Kysely<DB>, board: CountedBoard, version: number): Promise<void> {
  await sql`DELETE FROM board_moves WHERE ${ofBoard(board)} AND version <= ${version}`.execute(trx)
}

export async function readNodes(
  trx: Kysely<DB>,
  board: CountedBoard,
  level: number,
  prefixes: readonly number[],
): Promise<CountNode[]> {
  const { rows } = await sql<CountNode>`
    SELECT level, prefix, counts FROM board_counts
    WHERE ${ofBoard(board)} AND level = ${level} AND prefix = ANY(${numberArray(prefixes)}::bigint[])`.execute(trx)
  return rows
}

/** The members with points in a range, by the place of their points in `width` steps. */
export async function countsInRange(
  trx: Kysely<DB>,
  board: CountedBoard,
  first: number,
  last: number,
  width: number,
): Promise<{ slot: number; members: number }[]> {
  const { rows } = await sql<{ slot: number; members: number }>`
    SELECT ((~descent)::bigint - ${first}) / ${width}::bigint AS slot, count(*)::int AS members FROM board_entries
    WHERE ${ofBoard(board)} AND descent BETWEEN ~${last}::int AND ~${first}::int GROUP BY 1`.execute(trx)
  return rows
}

export async function storeNodes(trx: Kysely<DB>, board: CountedBoard, nodes: readonly CountNode[]): Promise<void> {
  await sql`
    INSERT INTO board_counts (space_id, sprint_id, level, prefix, counts)
    SELECT ${board.spaceId}::int, ${board.sprintId}::int, level, prefix, counts::int[]
    FROM unnest(
      ${numberArray(nodes.map(({ level }) => level))}::smallint[], ${numberArray(nodes.map(({ prefix }) => prefix))}::bigint[],
      ${textArray(nodes.map(({ counts }) => numberArray(counts)))}::text[]) AS n (level, prefix, counts)
    ON CONFLICT (space_id, sprint_id, level, prefix) DO UPDATE SET counts = excluded.counts`.execute(trx)
}

export async function replaceNodes(
  trx: Kysely<DB>,
  board: CountedBoard,
  nodes: AsyncIterable<CountNode>,
): Promise<void> {
  await sql`DELETE FROM board_counts WHERE ${ofBoard(board)}`.execute(trx)
  let together: CountNode[] = []
  for await (const node of nodes)
    if (together.push(node) === STORED_TOGETHER) {
      await storeNodes(trx, board, together)
      together = []
    }
  await storeNodes(trx, board, together)
}

export async function storeCounted(trx: Kysely<DB>, board: CountedBoard, version: number): Promise<void> {
  await sql`UPDATE board_counted SET version = ${version} WHERE ${ofBoard(board)}`.execute(trx)
}
