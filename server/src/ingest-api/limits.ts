// Limits for each request and for all requests together (docs/ingest.md).
import { DRAIN_TIMEOUT, MAX_UPLOAD_WAIT } from '../lifetimes.ts'
import type { SlotLimits } from './slots.ts'

export const JSON_TYPE = 'application/json'
export const NDJSON_TYPE = 'application/x-ndjson'

/** Bytes of a body. */
export const BODY_LIMIT = 8 * 1024 * 1024

/** Bytes of a request for a snapshot. */
export const SNAPSHOT_BODY_LIMIT = 1024 * 1024

/** Items of a request. */
export const MAX_ITEMS = 5_000

/** Concurrent requests of one token per process. */
export const MAX_CONCURRENT_REQUESTS = 256

/** Bytes of concurrent batch bodies per process, in all and of one token. Their use of memory is a multiple of this. */
export const BYTES_UNDER_WAY = 64 * 1024 * 1024
export const BYTES_OF_ONE = 32 * 1024 * 1024

/** Awards that wait to be stored per process, in all and of one token; further requests are rejected. */
export const MAX_QUEUED_AWARDS = 50_000
export const MAX_QUEUED_AWARDS_PER_TOKEN = 25_000

/** Awards per transaction, unless a single request has more. */
export const AWARDS_TOGETHER = 5_000

/** Concurrent and waiting batches of kinds other than awards, per process. */
export const BATCHES: SlotLimits = {
  running: 3,
  waiting: 64,
  ofOne: { running: 2, waiting: 32 },
  // Shorter than the request timeout and the shutdown timeout, so that a rejected batch is not stored afterwards.
  maxWait: 0.8 * DRAIN_TIMEOUT,
}

/** Concurrent and waiting uploads of whole lists, per process. */
export const UPLOADS: SlotLimits = {
  running: 2,
  waiting: 8,
  ofOne: { running: 1, waiting: 4 },
  maxWait: MAX_UPLOAD_WAIT,
}

/** Concurrent and waiting refreshes of starboards, per process. */
export const REFRESHES: SlotLimits = { running: 2, waiting: 16, ofOne: { running: 1, waiting: 8 } }

/** Bytes of an uploaded list, which is streamed. */
export const UPLOAD_LIMIT = 16 * 1024 * 1024 * 1024

/** The minimum rate of an upload in bytes per second. */
export const MIN_UPLOAD_RATE = 1024
