import type { Kysely } from 'kysely'
import type { DB } from '../database/tables.ts'
import { CONFIRMATION_LIFETIME, HISTORY_RETENTION, MAX_HISTORY, PREVIEW_RETENTION, SILENT_UPLOADER } from './limits.ts'
import { deleteFile } from './imports.queries.ts'
import { deleteHistory, deletePreviews, endInterrupted, endUnconfirmed, endedWithFile } from './sweep.queries.ts'

/**
 * Ends abandoned imports; deletes files, first rows and old entries of the history. @returns the number of deleted
 * entries
 */
export async function sweepImports(kysely: Kysely<DB>, now: number): Promise<number> {
  const at = new Date(now)
  await endInterrupted(kysely, at, new Date(now - SILENT_UPLOADER))
  await endUnconfirmed(kysely, at, new Date(now - CONFIRMATION_LIFETIME))
  await deletePreviews(kysely, new Date(now - PREVIEW_RETENTION))
  for (const id of await endedWithFile(kysely)) await deleteFile(kysely, id)
  return deleteHistory(kysely, new Date(now - HISTORY_RETENTION), MAX_HISTORY)
}
