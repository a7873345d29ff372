import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { type Fault, fault } from '../texts/faults.ts'

/** A file as a whole cannot be imported; the message has the reason and advice. */
export class ImportFileError extends Error {
  override name = 'ImportFileError'
  /** The content of the message, for texts in other languages. Files and options of commands have none. */
  readonly fault: Fault | undefined

  constructor(message: string, fault?: Fault) {
    super(message)
    this.fault = fault
  }
}

export interface Source {
  /** For messages and detection of the kind; `-` for standard input. */
  name: string
  /** Decompressed bytes. */
  bytes: AsyncIterable<Buffer>
  /** The size of the file, possibly compressed; undefined for a stream. */
  size: number | undefined
  /** The number of bytes read of `size`. */
  position: () => number
}

const CHUNK = 256 * 1024

/** Opens a file, or standard input for `-`. Decompresses gzip regardless of the file name. */
export async function openSource(
  path: string,
  { standardInput, signal }: { standardInput: Readable; signal?: AbortSignal | undefined },
): Promise<Source> {
  const size = path === '-' ? undefined : await fileSize(path)
  const stream = path === '-' ? standardInput : createReadStream(path, { highWaterMark: CHUNK })
  signal?.addEventListener('abort', () => stream.destroy(), { once: true })
  let position = 0
  const counted = (async function* () {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      position += chunk.length
      yield chunk
    }
  })()
  return { name: path, size, position: () => position, bytes: await unzipped(counted) }
}

async function fileSize(path: string): Promise<number> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw new ImportFileError(error.code === 'ENOENT' ? `The file ${resolve(path)} does not exist.` : error.message)
  })
  if (found.isDirectory()) throw new ImportFileError(`${path} is a folder; name a file.`)
  return found.size
}

async function unzipped(bytes: AsyncGenerator<Buffer>): Promise<AsyncIterable<Buffer>> {
  let head = Buffer.alloc(0)
  while (head.length < 2) {
    const next = await bytes.next()
    if (next.done) break
    head = Buffer.concat([head, next.value])
  }
  async function* whole() {
    if (head.length > 0) yield head
    yield* bytes
  }
  if (head[0] !== 0x1f || head[1] !== 0x8b) return whole()
  return gunzipped(whole())
}

async function* gunzipped(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const gunzip = createGunzip({ chunkSize: CHUNK })
  const source = Readable.from(bytes)
  source.on('error', (error) => gunzip.destroy(error))
  try {
    yield* source.pipe(gunzip) as AsyncIterable<Buffer>
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException
    if (/^Z_/.test(code))
      throw new ImportFileError(`The gzip file is damaged or incomplete (${message}).`, fault('damaged_gzip'))
    throw error
  } finally {
    source.destroy()
  }
}

/** Yields lines in batches without line feeds; carriage returns remain. */
export async function* linesOf(bytes: AsyncIterable<Buffer>): AsyncGenerator<string[]> {
  const decoder = new TextDecoder()
  let rest = ''
  let first = true
  for await (const chunk of bytes) {
    if (first && isUtf16(chunk)) throw new ImportFileError('The file is UTF-16; save it as UTF-8.', fault('not_utf8'))
    first = false
    // Only the new text is split, because a long line can come in a thousand chunks.
    const lines = decoder.decode(chunk, { stream: true }).split('\n')
    lines[0] = rest + (lines[0] ?? '')
    rest = lines.pop() ?? ''
    if (rest.length > MAX_LINE_LENGTH)
      throw new ImportFileError(
        `A line is longer than ${MAX_LINE_LENGTH} characters; this is not CSV, NDJSON or a list.`,
        fault('line_too_long', { max: MAX_LINE_LENGTH }),
      )
    if (lines.length > 0) yield lines
  }
  rest += decoder.decode()
  if (rest !== '') yield [rest]
}

const MAX_LINE_LENGTH = 4 * 1024 * 1024

function isUtf16(chunk: Buffer): boolean {
  return (chunk[0] === 0xff && chunk[1] === 0xfe) || (chunk[0] === 0xfe && chunk[1] === 0xff)
}
