import type { Readable } from 'node:stream'
import { ImportFileError } from '../ingest/source.ts'
import { SILENT_UPLOAD } from '../lifetimes.ts'

/** Of a file, as it is sent; proxies in front let as much through (docs/deploy.md). */
export const MOST_BYTES = 16 * 1024 * 1024 * 1024

/** The bytes of an upload, as long as some come. @throws ImportFileError when none do, or too many have */
export async function* arriving(bytes: Readable): AsyncGenerator<Buffer> {
  // Destroying the request would take the answer with it.
  const chunks = bytes.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer, undefined>
  let read = 0
  for (;;) {
    const { value: chunk, done } = await inTime(chunks.next())
    if (done) return
    read += chunk.length
    if (read > MOST_BYTES) throw new ImportFileError(`The file is larger than ${MOST_BYTES} bytes.`)
    yield chunk
  }
}

function inTime<T>(next: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(new ImportFileError('The upload made no progress for too long. Nothing was stored.'))
    const timer = setTimeout(giveUp, SILENT_UPLOAD)
    // After the time is up nobody waits for it any more, and it may fail.
    next.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
