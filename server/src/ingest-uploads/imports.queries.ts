import { type Kysely, type RawBuilder, sql } from 'kysely'
import { numberArray, textArray } from '@questboard/pg-read-pipeline'
import type { DB } from '../database/tables.ts'
import type { PointEffects } from '../ingest/kind.ts'
import type { StoredFile } from '../ingest/import-file.ts'
import type { KindName } from '../ingest/kinds.ts'
import type { Problem } from '../ingest/problems.ts'
import type { Fault } from '../texts/faults.ts'
import type { Preview } from './preview.ts'
import { shorten, storable } from './storable-text.ts'

export const IMPORT_STATES = [
  'uploading',
  'checking',
  'checked',
  'storing',
  'stored',
  'refused',
  'failed',
  'cancelled',
  'expired',
] as const
export type ImportState = (typeof IMPORT_STATES)[number]

export interface Import {
  id: string
  accountId: string
  fileName: string
  bytes: number
  /** Chosen by the operator, or detected. */
  kind: KindName | null
  credentialId: string | null
  replace: boolean
  state: ImportState
  preview: Preview | null
  progress: object | null
  lines: number | null
  added: number | null
  changed: number | null
  removed: number | null
  /** Lines that change nothing because their awards were taken back before; null for other kinds. */
  takenBack: number | null
  /** New lines whose points would count now if their members were not banned; null for other kinds than awards. */
  banned: number | null
  problems: Problem[]
  problemCount: number
  message: string | null
  /** The reason of `message`, for texts in other languages. */
  fault: Fault | null
  createdAt: Date
  checkedAt: Date | null
  appliedBy: string | null
  endedAt: Date | null
  /** The spaces whose points the file changes; null for other kinds, and before the check. */
  spaceIds: number[] | null
  undo: Undo | null
  /** The operator who undid the import. */
  undoneBy: string | null
}

/** The progress of undoing an import of points. Times are in ISO format. */
export interface Undo {
  at: string
  endedAt: string | null
  /** Entries that it has reversed. */
  reversed: number
  /** Entries that had been reversed before. */
  before: number
  /** Entries that cannot be reversed. */
  refused: number
  /** The number of spaces that are complete. */
  spaces: number
  /** The id of the last entry that was read in the next space. */
  after: string | null
}

export interface NewImport {
  id: string
  accountId: string
  fileName: string
  kind: KindName | undefined
  credentialId: string | undefined
  replace: boolean
  at: Date
}

/** An entry of the history, without the fields that can have megabytes. */
export type ListedImport = Omit<Import, 'preview' | 'progress' | 'problems'>

const LISTED_COLUMNS = sql`
  import_id AS id, account_id AS "accountId", file_name AS "fileName", bytes, coalesce(kind, preview->>'kind') AS kind,
  credential_id::text AS "credentialId", replaces AS replace, state, lines, added, changed, removed, taken_back AS "takenBack", banned,
  coalesce(problem_count, 0) AS "problemCount", message, fault, created_at AS "createdAt", checked_at AS "checkedAt",
  applied_by AS "appliedBy", ended_at AS "endedAt", space_ids AS "spaceIds", undo, undone_by AS "undoneBy"`

const COLUMNS = sql`${LISTED_COLUMNS}, preview, progress, coalesce(problems, '[]') AS problems`

export async function insertImport(trx: Kysely<DB>, { at, replace, ...file }: NewImport): Promise<void> {
  await trx
    .insertInto('imports')
    .values({
      import_id: file.id,
      account_id: file.accountId,
      file_name: file.fileName,
      kind: file.kind ?? null,
      credential_id: file.credentialId ?? null,
      replaces: replace,
      state: 'uploading',
      created_at: at,
      touched_at: at,
    })
    .execute()
}

export async function countUnfinished(kysely: Kysely<DB>): Promise<number> {
  const { rows } = await sql<{ count: number }>`SELECT count(*) AS count FROM imports WHERE ended_at IS NULL`.execute(
    kysely,
  )
  return rows[0]?.count ?? 0
}

export async function insertChunk(kysely: Kysely<DB>, id: string, chunk: number, bytes: Buffer): Promise<void> {
  await kysely.insertInto('import_chunks').values({ import_id: id, chunk, bytes }).execute()
}

/** @returns false if the upload was cancelled or took too long */
export async function touchUpload(kysely: Kysely<DB>, id: string, at: Date): Promise<boolean> {
  const { numAffectedRows } = await sql`
    UPDATE imports SET touched_at = ${at} WHERE import_id = ${id} AND state = 'uploading'`.execute(kysely)
  return numAffectedRows === 1n
}

/** Starts the check. @returns false if the upload was cancelled or took too long */
export async function endUpload(
  kysely: Kysely<DB>,
  id: string,
  { bytes, preview }: { bytes: number; preview: Preview },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    UPDATE imports SET state = 'checking', bytes = ${bytes}, preview = ${JSON.stringify(preview)}::jsonb
    WHERE import_id = ${id} AND state = 'uploading'`.execute(kysely)
  return numAffectedRows === 1n
}

export async function* readChunks(kysely: Kysely<DB>, id: string): AsyncGenerator<Buffer> {
  for (let chunk = 0; ; chunk++) {
    const row = await kysely
      .selectFrom('import_chunks')
      .select('bytes')
      .where('import_id', '=', id)
      .where('chunk', '=', chunk)
      .executeTakeFirst()
    if (!row) return
    yield row.bytes
  }
}

export async function deleteFile(kysely: Kysely<DB>, id: string): Promise<void> {
  await kysely.deleteFrom('import_chunks').where('import_id', '=', id).execute()
  await sql`UPDATE imports SET file_kept = false WHERE import_id = ${id}`.execute(kysely)
}

/** Deletes a failed upload. If it was cancelled or took too long, the history keeps it, without its file. */
export async function deleteUpload(kysely: Kysely<DB>, id: string): Promise<void> {
  await kysely.deleteFrom('import_chunks').where('import_id', '=', id).execute()
  await kysely.deleteFrom('imports').where('import_id', '=', id).where('state', '=', 'uploading').execute()
}

export async function findImport(kysely: Kysely<DB>, id: string): Promise<Import | undefined> {
  const { rows } = await sql<Import>`SELECT ${COLUMNS} FROM imports WHERE import_id = ${id}`.execute(kysely)
  return rows[0]
}

/** Newest first. @param after the id of the last import of the previous page */
export async function selectImports(
  kysely: Kysely<DB>,
  { limit, after }: { limit: number; after?: string | undefined },
): Promise<ListedImport[]> {
  const behind =
    after === undefined
      ? sql`true`
      : sql`(created_at, import_id) < (SELECT created_at, import_id FROM imports WHERE import_id = ${after})`
  const { rows } = await sql<ListedImport>`
    SELECT ${LISTED_COLUMNS} FROM imports WHERE ${behind}
    ORDER BY imports.created_at DESC, import_id DESC LIMIT ${limit}`.execute(kysely)
  return rows
}

/** Confirms a checked import, so that a job stores it. @returns false if it is not checked */
export async function confirmImport(
  trx: Kysely<DB>,
  id: string,
  { accountId, network }: { accountId: string; network: string },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    UPDATE imports SET state = 'storing', applied_by = ${accountId}, network = ${network}, attempts = 0, progress = NULL
    WHERE import_id = ${id} AND state = 'checked'`.execute(trx)
  return numAffectedRows === 1n
}

/** Cancels an import. If a process works on it, that process ends it. @returns false if the import has ended */
export async function cancelImport(trx: Kysely<DB>, id: string, at: Date): Promise<boolean> {
  const { numAffectedRows } = await sql`
    UPDATE imports SET cancelling = true,
      state = CASE WHEN runner IS NULL THEN 'cancelled' ELSE state END,
      ended_at = CASE WHEN runner IS NULL THEN ${at}::timestamptz END,
      preview = CASE WHEN runner IS NULL THEN NULL ELSE preview END
    WHERE import_id = ${id} AND state IN ('uploading', 'checking', 'checked', 'storing')`.execute(trx)
  return numAffectedRows === 1n
}

/** The check or the storage of an import, by one process. */
export interface Work {
  id: string
  runner: string
  state: 'checking' | 'storing'
  attempts: number
  fileName: string
  kind: KindName | null
  credentialId: string | null
  replace: boolean
  appliedBy: string | null
  network: string | null
}

/** Claims the oldest import that no process works on, or whose process has reported no progress since `before`. */
export async function claimImport(
  kysely: Kysely<DB>,
  runner: string,
  now: Date,
  before: Date,
): Promise<Work | undefined> {
  const { rows } = await sql<Work>`
    UPDATE imports SET runner = ${runner}, touched_at = ${now}, attempts = attempts + 1 WHERE import_id = (
      SELECT import_id FROM imports
      WHERE state IN ('checking', 'storing') AND (runner IS NULL OR touched_at < ${before})
      ORDER BY created_at LIMIT 1 FOR UPDATE SKIP LOCKED)
    RETURNING import_id AS id, runner, state, attempts, file_name AS "fileName", kind,
      credential_id::text AS "credentialId", replaces AS replace, applied_by AS "appliedBy", network`.execute(kysely)
  return rows[0]
}

/** Reports progress. @returns undefined if the work was taken over or has ended */
export async function touchImport(
  kysely: Kysely<DB>,
  { id, runner }: Work,
  at: Date,
  progress: object,
): Promise<{ cancelling: boolean } | undefined> {
  const { rows } = await sql<{ cancelling: boolean }>`
    UPDATE imports SET touched_at = ${at}, progress = ${JSON.stringify(progress)}::jsonb
    WHERE import_id = ${id} AND runner = ${runner} AND ended_at IS NULL
    RETURNING cancelling`.execute(kysely)
  return rows[0]
}

/** Releases the work, so that another process can claim it. */
export async function releaseImport(kysely: Kysely<DB>, { id, runner }: Work): Promise<void> {
  await sql`UPDATE imports SET runner = NULL WHERE import_id = ${id} AND runner = ${runner}`.execute(kysely)
}

/** Ends the check. @returns false if the work was taken over or cancelled */
export const markChecked = (
  kysely: Kysely<DB>,
  work: Work,
  { effects, ...report }: StoredFile & { effects: PointEffects | undefined },
  at: Date,
): Promise<boolean> =>
  markDone(kysely, work, report, {
    state: 'checked',
    checked_at: at,
    ...(effects && {
      space_ids: effects.spaceIds,
      preview: sql<string>`preview || ${JSON.stringify({ newNames: shown(effects.newNames) })}::jsonb`,
    }),
  })

const shown = ({ count, examples }: PointEffects['newNames']) => ({ count, examples: examples.map(shorten) })

/** Ends the import in the transaction that stores it. @returns false if the work was taken over or cancelled */
export const markStored = (trx: Kysely<DB>, work: Work, report: StoredFile, at: Date): Promise<boolean> =>
  markDone(trx, work, report, { state: 'stored', ended_at: at, preview: null, network: null })

async function markDone(
  kysely: Kysely<DB>,
  { id, runner }: Work,
  { kind, read, added, changed, removed, takenBack, banned }: StoredFile,
  more: {
    state: 'checked' | 'stored'
    checked_at?: Date
    ended_at?: Date
    preview?: RawBuilder<string> | null
    network?: null
    space_ids?: number[]
  },
): Promise<boolean> {
  const { numUpdatedRows } = await kysely
    .updateTable('imports')
    .set({
      ...more,
      kind,
      lines: read,
      added,
      changed,
      removed: removed ?? null,
      taken_back: takenBack ?? null,
      banned: banned ?? null,
      runner: null,
      progress: null,
    })
    .where('import_id', '=', id)
    .where('runner', '=', runner)
    .where('ended_at', 'is', null)
    .where('cancelling', '=', false)
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

export interface Failure {
  state: 'refused' | 'failed' | 'cancelled'
  message?: string
  fault?: Fault | undefined
  problems?: readonly Problem[]
  problemCount?: number
}

/** Shortens names of fields, because they come from the file and can have any length. */
const asJson = (problems: readonly Problem[] | Fault): string =>
  JSON.stringify(problems, (key, value: unknown) => {
    if (typeof value !== 'string') return value
    return key === 'field' ? shorten(value) : storable(value)
  })

/** Ends an import that stored nothing. A refused import keeps its first rows and its problems. */
export async function markEnded(
  kysely: Kysely<DB>,
  { id, runner }: Work,
  { state, message, fault, problems = [], problemCount = 0 }: Failure,
  at: Date,
): Promise<void> {
  await sql`
    UPDATE imports SET state = ${state}, ended_at = ${at}, message = ${message === undefined ? null : storable(message)}, runner = NULL, progress = NULL,
      network = NULL, fault = ${fault === undefined ? null : asJson(fault)}::jsonb, problems = ${asJson(problems)}::jsonb, problem_count = ${problemCount},
      lines = NULL, added = NULL, changed = NULL, removed = NULL, taken_back = NULL, banned = NULL,
      preview = CASE WHEN ${state} = 'refused' THEN preview END
    WHERE import_id = ${id} AND runner = ${runner} AND ended_at IS NULL`.execute(kysely)
}

export async function nameSpaces(kysely: Kysely<DB>, spaceIds: readonly number[]): Promise<Map<number, string>> {
  if (spaceIds.length === 0) return new Map()
  const { rows } = await sql<{ space_id: number; name: string }>`
    SELECT space_id, name FROM spaces WHERE space_id = ANY(${numberArray([...new Set(spaceIds)])}::int[])`.execute(
    kysely,
  )
  return new Map(rows.map(({ space_id, name }) => [space_id, name]))
}

const newUndo = (at: Date): Undo => ({
  at: at.toISOString(),
  endedAt: null,
  reversed: 0,
  before: 0,
  refused: 0,
  spaces: 0,
  after: null,
})

/** Starts to undo a stored import of points. @returns false if it is another import, or undoing was already started */
export async function beginUndo(trx: Kysely<DB>, id: string, by: string, at: Date): Promise<boolean> {
  const { numAffectedRows } = await sql`
    UPDATE imports SET undo = ${JSON.stringify(newUndo(at))}::jsonb, undone_by = ${by}
    WHERE import_id = ${id} AND state = 'stored' AND cardinality(space_ids) > 0 AND undo IS NULL`.execute(trx)
  return numAffectedRows === 1n
}

export interface UndoWork {
  id: string
  spaceIds: number[]
  /** The entries of the import were written between `from`, the time of the upload, and `to`. */
  from: Date
  to: Date
  undo: Undo
  by: string
}

/** Locks the oldest import that is being undone and is not one of `others`, until the transaction ends. */
export async function lockUndo(trx: Kysely<DB>, others: readonly string[]): Promise<UndoWork | undefined> {
  return (await undoQuery(others).execute(trx)).rows[0]
}

/** Uses the index `imports_to_undo`. */
export const undoQuery = (others: readonly string[]) => sql<UndoWork>`
  SELECT import_id AS id, space_ids AS "spaceIds", created_at AS "from", ended_at AS "to", undo, undone_by AS "by"
  FROM imports
  WHERE undo ->> 'endedAt' IS NULL AND undo IS NOT NULL AND import_id <> ALL (${textArray(others)}::uuid[])
  ORDER BY undo ->> 'at' LIMIT 1 FOR UPDATE SKIP LOCKED`

export async function storeUndo(trx: Kysely<DB>, id: string, undo: Undo): Promise<void> {
  await sql`UPDATE imports SET undo = ${JSON.stringify(undo)}::jsonb WHERE import_id = ${id}`.execute(trx)
}
