import { createReadStream } from 'node:fs'
import { mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { z } from 'zod'

/**
 * Pages that were read so far, in files: a mirror that is stopped goes on where it stopped, and no transaction stays
 * open while a source is read slowly.
 */
export interface Spool<Item> {
  state: SpoolState
  /** Keeps a page and the place after it; both or, after a crash, neither. */
  keep(items: readonly Item[], next: string | undefined, total: number | undefined): Promise<void>
  /** What the current traversal of the list has read. */
  items(): AsyncGenerator<Item>
  /** What earlier traversals have read, which ended before the list did. */
  earlierItems(): AsyncGenerator<Item>
  /** Forgets everything that was read. */
  restart(startedAt: number): Promise<void>
  /** Starts another traversal of the list, and keeps what this one has read. */
  traverseAgain(startedAt: number): Promise<void>
  /** Takes what was read for the list, though the source did not list it to the end. */
  endEarly(): Promise<void>
  remove(): Promise<void>
}

const stateShape = z.object({
  /** When the first page was asked for, in milliseconds. */
  startedAt: z.number(),
  bytes: z.number(),
  /** Where the current traversal starts in the file of pages. */
  from: z.number().default(0),
  /** Items of the current traversal. */
  count: z.number(),
  pages: z.number(),
  total: z.number().optional(),
  /** Place of the next page; absent on the first. */
  cursor: z.string().optional(),
  complete: z.boolean(),
})
export type SpoolState = z.infer<typeof stateShape>

const fresh = (startedAt: number): SpoolState => ({
  startedAt,
  bytes: 0,
  from: 0,
  count: 0,
  pages: 0,
  complete: false,
})

/** Opens what an earlier run left in the folder, or an empty spool. */
export async function openSpool<Item>(folder: string, startedAt: number): Promise<Spool<Item>> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const pagesFile = join(folder, 'pages.ndjson')
  const stateFile = join(folder, 'state.json')

  async function write(state: SpoolState): Promise<void> {
    await writeFile(`${stateFile}.new`, JSON.stringify(state))
    await rename(`${stateFile}.new`, stateFile)
    spool.state = state
  }

  async function* linesBetween(start: number, end: number): AsyncGenerator<Item> {
    if (start === end) return
    const input = createReadStream(pagesFile, { start, end: end - 1 })
    for await (const line of createInterface({ input, crlfDelay: Infinity }))
      if (line !== '') yield JSON.parse(line) as Item
  }

  const spool: Spool<Item> = {
    state: (await readState(stateFile)) ?? fresh(startedAt),
    async keep(items, next, total) {
      const { state } = spool
      const file = await open(pagesFile, state.bytes === 0 ? 'w' : 'r+')
      let bytes: number
      try {
        const lines = items.map((item) => `${JSON.stringify(item)}\n`).join('')
        // What a crash left behind the last page that was kept is written over.
        await file.truncate(state.bytes)
        bytes = (await file.write(lines, state.bytes)).bytesWritten
        await file.sync()
      } finally {
        await file.close()
      }
      await write({
        startedAt: state.startedAt,
        bytes: state.bytes + bytes,
        from: state.from,
        count: state.count + items.length,
        pages: state.pages + 1,
        ...(total === undefined ? {} : { total }),
        ...(next === undefined ? {} : { cursor: next }),
        complete: next === undefined,
      })
    },
    items: () => linesBetween(spool.state.from, spool.state.bytes),
    earlierItems: () => linesBetween(0, spool.state.from),
    restart: (at) => write(fresh(at)),
    traverseAgain: (at) => write({ ...fresh(at), bytes: spool.state.bytes, from: spool.state.bytes }),
    endEarly: () => write({ ...spool.state, complete: true }),
    remove: () => rm(folder, { recursive: true, force: true }),
  }
  return spool
}

async function readState(file: string): Promise<SpoolState | undefined> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  return text === undefined ? undefined : stateShape.parse(JSON.parse(text))
}
