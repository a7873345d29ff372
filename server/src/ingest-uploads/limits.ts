import { DAY, HOUR, MINUTE } from '../clock.ts'

/** The maximum size of a file that is kept for a background import; larger ones are for `questboard import`. */
export const MAX_KEPT_BYTES = 1024 * 1024 * 1024

/** Concurrent uploads of a process. */
export const MAX_UPLOADS = 2

/** Imports of the installation that have not ended. Their files are stored. */
export const MAX_UNFINISHED = 20

export const MAX_FILE_NAME = 200

/** A checked import that was not confirmed expires after this. */
export const CONFIRMATION_LIFETIME = DAY

/** If a process has reported no progress for this long, another one takes over its import. */
export const SILENT_RUNNER = MINUTE

/** An upload without progress for this long was interrupted. */
export const SILENT_UPLOADER = HOUR

/** Retention of the first rows of a refused file. */
export const PREVIEW_RETENTION = DAY

/** Retention of ended imports in the history, and their maximum number. */
export const HISTORY_RETENTION = 90 * DAY
export const MAX_HISTORY = 1_000
