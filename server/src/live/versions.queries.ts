import { type Kysely, sql } from 'kysely'
import { numberArray, textArray } from '@questboard/pg-read-pipeline'
import type { DB } from '../database/tables.ts'

/** The newest version of each space; 0 before its first points. Spaces that do not exist are missing. */
export async function versionsOfSpaces(kysely: Kysely<DB>, ids: readonly number[]): Promise<Map<number, number>> {
  if (ids.length === 0) return new Map()
  const { rows } = await sql<{ id: number; version: number }>`
    SELECT s.space_id AS id, coalesce(v.version, 0) AS version
    FROM spaces s LEFT JOIN space_versions v ON v.space_id = s.space_id
    WHERE s.space_id = ANY(${numberArray(ids)}::int[])`.execute(kysely)
  return new Map(rows.map(({ id, version }) => [id, version]))
}

/** The newest ranking of each starboard; 0 before its first one. Starboards that do not exist are missing. */
export async function versionsOfStarboards(kysely: Kysely<DB>, ids: readonly string[]): Promise<Map<string, number>> {
  if (ids.length === 0) return new Map()
  const { rows } = await sql<{ id: string; version: number }>`
    SELECT s.starboard_id AS id, coalesce(max(r.version), 0) AS version
    FROM starboards s LEFT JOIN starboard_rankings r ON r.starboard_id = s.starboard_id
    WHERE s.starboard_id = ANY(${textArray(ids)}::text[]) GROUP BY s.starboard_id`.execute(kysely)
  return new Map(rows.map(({ id, version }) => [id, version]))
}
