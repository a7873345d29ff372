import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { ImportFileError } from './source.ts'
import { SILENT_UPLOAD } from '../lifetimes.ts'
import { fault } from '../texts/faults.ts'

/** The maximum size of an upload; the proxies in docs/deploy.md allow as much. */
export const MAX_BYTES = 16 * 1024 * 1024 * 1024

/** Yields the bytes of an upload. @throws ImportFileError if it stalls or is too large */
export async function* arriving(bytes: Readable, limit = MAX_BYTES): AsyncGenerator<Buffer> {
  // Destroying the request would destroy the response.
  const chunks = bytes.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer, undefined>
  let read = 0
  for (;;) {
    const { value: chunk, done } = await inTime(chunks.next())
    if (done) return
    read += chunk.length
    if (read > limit)
      throw new ImportFileError(`The file is larger than ${limit} bytes.`, fault('file_too_large', { bytes: limit }))
    yield chunk
  }
}

function inTime<T>(next: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = () =>
      reject(
        new ImportFileError('The upload made no progress for too long. Nothing was stored.', fault('upload_ended')),
      )
    const timer = setTimeout(giveUp, SILENT_UPLOAD)
    // After the timeout, a late failure must not become an unhandled rejection.
    next.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

/** After the response, reads the rest of the body for a while, so that the client can read the response. */
export function drain(request: IncomingMessage): void {
  if (request.complete) return
  request.resume()
  setTimeout(() => {
    if (!request.complete) request.destroy()
  }, SILENT_UPLOAD).unref()
}
