import { createReadStream } from 'node:fs'
import { mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { z } from 'zod'

/**
 * The pages read so far, in files: an interrupted run can be resumed, and no transaction stays open while a slow source
 * is read.
 */
export interface Spool<Item> {
  state: SpoolState
  /** Stores a page and the next cursor atomically. */
  keep(items: readonly Item[], next: string | undefined, total: number | undefined): Promise<void>
  /** The items of the current traversal. */
  items(): AsyncGenerator<Item>
  /** The items of earlier, incomplete traversals. */
  earlierItems(): AsyncGenerator<Item>
  /** Deletes all items. */
  restart(startedAt: number): Promise<void>
  /** Starts another traversal and keeps the items of this one. */
  traverseAgain(startedAt: number): Promise<void>
  /** Marks the list as complete although the source did not list it to the end. */
  endEarly(): Promise<void>
  remove(): Promise<void>
}

const stateShape = z.object({
  /** The time of the first request in milliseconds. */
  startedAt: z.number(),
  bytes: z.number(),
  /** The offset of the current traversal in the file of pages. */
  from: z.number().default(0),
  /** The number of items of the current traversal. */
  count: z.number(),
  pages: z.number(),
  total: z.number().optional(),
  /** The cursor of the next page; absent on the first. */
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

/** Opens the spool of an interrupted run, or an empty one. */
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
        // Overwrites a partial page that a crash left behind.
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
