import { type Kysely, sql } from 'kysely'
import type { DB } from '../database/tables.ts'

export async function endInterrupted(kysely: Kysely<DB>, at: Date, before: Date): Promise<void> {
  await sql`
    UPDATE imports SET state = 'failed', message = 'The upload was interrupted.',
      fault = '{"code": "upload_ended", "parameters": {}}', ended_at = ${at}
    WHERE state = 'uploading' AND touched_at < ${before}`.execute(kysely)
}

export async function endUnconfirmed(kysely: Kysely<DB>, at: Date, before: Date): Promise<void> {
  await sql`
    UPDATE imports SET state = 'expired', ended_at = ${at}, preview = NULL
    WHERE state = 'checked' AND checked_at < ${before}`.execute(kysely)
}

/** The first rows of a refused file can contain personal data. */
export async function deletePreviews(kysely: Kysely<DB>, before: Date): Promise<void> {
  await sql`
    UPDATE imports SET preview = NULL, kind = coalesce(kind, preview->>'kind')
    WHERE ended_at < ${before} AND preview IS NOT NULL`.execute(kysely)
}

/** Ended imports whose files are to be deleted. */
export async function endedWithFile(kysely: Kysely<DB>): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    SELECT import_id AS id FROM imports WHERE ended_at IS NOT NULL AND file_kept LIMIT 100`.execute(kysely)
  return rows.map(({ id }) => id)
}

/**
 * Deletes ended imports from before a time, and all but the newest, except those that are being undone.
 * @returns their number
 */
export async function deleteHistory(kysely: Kysely<DB>, before: Date, newest: number): Promise<number> {
  const { numAffectedRows } = await sql`
    DELETE FROM imports WHERE ended_at IS NOT NULL AND NOT file_kept
      AND (undo IS NULL OR undo ->> 'endedAt' IS NOT NULL) AND (ended_at < ${before} OR import_id IN (
      SELECT import_id FROM imports ORDER BY created_at DESC, import_id DESC OFFSET ${newest}))`.execute(kysely)
  return Number(numAffectedRows ?? 0)
}
