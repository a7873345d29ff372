/** What one request may bring (docs/ingest.md lists these). */

export const JSON_TYPE = 'application/json'
export const NDJSON_TYPE = 'application/x-ndjson'

/** Bytes of a body. */
export const BODY_LIMIT = 8 * 1024 * 1024

/** Items of a request. */
export const MOST_ITEMS = 5_000

/** Requests of one token that an instance works on at the same time. */
export const MOST_AT_ONCE = 256

/** Awards that wait in an instance to be stored; beyond this requests are refused until there is room. */
export const MOST_WAITING_AWARDS = 50_000

/** Awards that are stored in one transaction, unless a single request brings more. */
export const AWARDS_TOGETHER = 5_000

/** Batches of other kinds than awards that an instance stores at the same time, and that wait for it. */
export const BATCHES_AT_WORK = 3
export const BATCHES_WAITING = 64

/** Uploads of whole lists that an instance takes at the same time, and that wait for it. */
export const UPLOADS_AT_WORK = 2
export const UPLOADS_WAITING = 8

/** Bytes of an uploaded list; it is never in memory as a whole. */
export const UPLOAD_LIMIT = 16 * 1024 * 1024 * 1024
