// What one request may bring, and all of them together (docs/ingest.md).
import { DRAIN_TIMEOUT, MOST_PATIENCE } from '../lifetimes.ts'
import type { SlotLimits } from './slots.ts'

export const JSON_TYPE = 'application/json'
export const NDJSON_TYPE = 'application/x-ndjson'

/** Bytes of a body. */
export const BODY_LIMIT = 8 * 1024 * 1024

/** Items of a request. */
export const MOST_ITEMS = 5_000

/** Requests of one token that an instance works on at the same time. */
export const MOST_AT_ONCE = 256

/** Bytes of the bodies of batches that are under way in an instance, from all and from one token; they take memory several times over. */
export const BYTES_UNDER_WAY = 64 * 1024 * 1024
export const BYTES_OF_ONE = 32 * 1024 * 1024

/** Awards that wait in an instance to be stored, of all and of one token; beyond this requests are refused. */
export const MOST_WAITING_AWARDS = 50_000
export const MOST_WAITING_OF_ONE = 25_000

/** Awards that are stored in one transaction, unless a single request brings more. */
export const AWARDS_TOGETHER = 5_000

/** Batches of other kinds than awards that an instance stores at the same time, and that wait for it. */
export const BATCHES: SlotLimits = {
  running: 3,
  waiting: 64,
  ofOne: { running: 2, waiting: 32 },
  // Well before its request is answered for it, and before a stop ends: what was refused is not stored afterwards.
  patience: 0.8 * DRAIN_TIMEOUT,
}

/** Uploads of whole lists that an instance takes at the same time, and that wait for it. */
export const UPLOADS: SlotLimits = {
  running: 2,
  waiting: 8,
  ofOne: { running: 1, waiting: 4 },
  patience: MOST_PATIENCE,
}

/** Refreshes of starboards at the same time, and that wait for it. */
export const REFRESHES: SlotLimits = { running: 2, waiting: 16, ofOne: { running: 1, waiting: 8 } }

/** Bytes of an uploaded list; it is never in memory as a whole. */
export const UPLOAD_LIMIT = 16 * 1024 * 1024 * 1024

/** Bytes that an upload has to bring for each second that it is waited for. */
export const SLOWEST_UPLOAD = 1024
