import { crc32 } from 'node:zlib'
import { createRecent } from '../cache/recent-cache.ts'
import type { Clock } from '../clock.ts'
import type { Reader } from '@questboard/pg-read-pipeline'
import { areValid, type CacheValidator } from '../graphql/cache-validators.ts'
import type { OperationSummary } from '../graphql/operation-summary.ts'

export interface CachedResponse {
  /** Decides who may read the response. A compiled operation would take far more memory. */
  operation: OperationSummary
  body: string | Buffer
  validators: readonly CacheValidator[]
}

/**
 * Responses by the text of the request, bounded in memory. Before each reuse, the validators of a response are checked
 * in the database, in one statement for all requests of an event-loop turn. So a response is never older than its
 * request, whichever instance made the change.
 */
export interface ResponseCache {
  /** The cached response to this request, if it is still valid. */
  find(request: string): Promise<CachedResponse | undefined>
  /** Stores a response from the second request on, because most requests are sent once. */
  store(request: string, response: () => Omit<CachedResponse, 'body'> & { body: string }): void
}

const CAPACITY_BYTES = 16 * 1024 * 1024
/** Memory of an entry in addition to its texts. */
const ENTRY_BYTES = 2_000
/** Node sends a short string faster than a Buffer, because it writes a Buffer separately from the headers. */
const MAX_STRING_LENGTH = 1_000
const SEEN_SLOTS = 65_536

export function createResponseCache(reader: Reader, clock: Clock): ResponseCache {
  const responses = createRecent<CachedResponse>(
    CAPACITY_BYTES,
    (request, { body }) => request.length + body.length + ENTRY_BYTES,
  )
  const seen = new Uint32Array(SEEN_SLOTS)

  return {
    async find(request) {
      const cached = responses.get(request)
      if (!cached) return undefined
      // If the database is unavailable, the execution that follows reports it.
      if (await areValid(cached.validators, reader, clock.now()).catch(() => false)) return cached
      responses.delete(request)
      return undefined
    },
    store(request, response) {
      const checksum = crc32(request)
      const slot = checksum % SEEN_SLOTS
      if (seen[slot] === checksum) {
        const { body, ...rest } = response()
        responses.set(request, { ...rest, body: body.length <= MAX_STRING_LENGTH ? body : Buffer.from(body) })
      } else seen[slot] = checksum
    },
  }
}
