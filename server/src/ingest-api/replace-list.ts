import type { Readable } from 'node:stream'
import { z } from 'zod'
import type { MonotonicClock } from '../clock.ts'
import type { Dependencies } from '../services.ts'
import { holders } from '../ingest/kinds/holders.ts'
import { readCredentialTypes } from '../ingest/kinds/holders.queries.ts'
import { Problems } from '../ingest/problems.ts'
import { type Format, readRows } from '../ingest/read-rows.ts'
import { replaceHolders } from '../ingest/replace-holders.ts'
import { linesOf } from '../ingest/source.ts'
import { SILENT_UPLOAD } from '../lifetimes.ts'
import type { IngestCaller } from './authenticate.ts'
import { ApiError } from '../errors.ts'
import { invalidRequest, permissionDenied, tooLarge } from './ingest-error.ts'
import { MIN_UPLOAD_RATE, UPLOAD_LIMIT } from './limits.ts'

/** A body that is streamed. */
export interface Upload {
  format: Format
  bytes: Readable
}

export const replacedShape = z.object({
  credentialId: z.string(),
  itemCount: z.int().describe('The number of holders in the list.'),
  read: z.int().describe('The number of lines.'),
})

/**
 * Replaces the whole holder list of a credential. If a line is invalid, nothing changes.
 * @throws PERMISSION_DENIED, NOT_FOUND about the credential; INVALID_ARGUMENT, ImportRefusedError about lines
 */
export async function replaceList(
  deps: Pick<Dependencies, 'database' | 'clock'>,
  caller: IngestCaller,
  credentialId: string,
  upload: Upload,
): Promise<z.infer<typeof replacedShape>> {
  const { credentialIds } = caller.scope
  if (credentialIds && !credentialIds.includes(credentialId))
    throw permissionDenied(`This token may not write credential ${credentialId}`, 'credentialId')
  const types = await readCredentialTypes(deps.database.kysely, [credentialId])
  if (!types.has(credentialId))
    throw new ApiError('not_found', `Credential ${credentialId} is not known; create it first`, {
      field: 'credentialId',
    })
  const kind = holders(types, credentialId)
  const problems = new Problems()
  const rows = readRows(upload.format, linesOf(arriving(upload.bytes, deps.clock)), kind.fields, problems)
  const report = await replaceHolders(deps, kind, rows, problems)
  if (report.read === 0)
    throw invalidRequest(
      'The body has no holders, and a list cannot be replaced with an empty one. Remove holders instead',
    )
  return { credentialId, itemCount: report.holders, read: report.read }
}

/**
 * Yields the bytes of an upload. Waiting consumes a budget of `timeout` milliseconds, and received bytes refill it. The
 * time to store them is not counted.
 * @throws TIMEOUT if the upload is too slow, PAYLOAD_TOO_LARGE beyond the limit
 */
export async function* arriving(
  bytes: Readable,
  clock: MonotonicClock,
  { timeout = SILENT_UPLOAD, minRate = MIN_UPLOAD_RATE, maxBytes = UPLOAD_LIMIT } = {},
): AsyncGenerator<Buffer> {
  // Destroying the request would destroy the response.
  const chunks = bytes.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer, undefined>
  let left = timeout
  let read = 0
  for (;;) {
    const since = clock.monotonic()
    const { value: chunk, done } = await within(Math.max(0, left), chunks.next())
    if (done) return
    read += chunk.length
    if (read > maxBytes) throw tooLarge(`The body is too large; allowed: ${maxBytes} bytes`)
    const waited = clock.monotonic() - since
    left = Math.min(timeout, left - waited + (chunk.length / minRate) * 1_000)
    yield chunk
  }
}

function within<T>(milliseconds: number, next: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(new ApiError('timeout', 'The upload made no progress for too long'))
    const timer = setTimeout(giveUp, milliseconds)
    // After the timeout, a late failure must not become an unhandled rejection.
    next.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
