import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { Clock } from '../clock.ts'
import type { Database } from '../database/connection.ts'
import { ImportRefusedError } from '../ingest/problems.ts'
import { MirrorError } from './mirror-error.ts'
import type { SourceClient } from './source-client.ts'
import { openSpool, type Spool } from './spool.ts'

/** The context of a mirror run. */
export interface Mirroring {
  client: SourceClient
  database: Database
  clock: Clock
  signal: AbortSignal
  /** The folder for data that was read and not stored yet. */
  folder: string
  progress(what: string, done: number, total: number | undefined): void
  /** Prints a line for the operator. */
  say(line: string): void
}

/** Maximum traversals of a list per run. */
const MAX_TRAVERSALS = 2

export interface Page<Item> {
  items: Item[]
  /** The cursor of the next page; undefined on the last page. */
  next: string | undefined
  total: number | undefined
}

/** Page sizes, largest first; the next is used if the source rejects one. Undefined sends no size. */
const PAGE_SIZES = [1_000, 100, undefined] as const
export type PageSize = (typeof PAGE_SIZES)[number]

/**
 * Reads all pages of a list into a spool; resumes an interrupted run. If the source no longer accepts the cursor, a
 * second traversal starts, and items of the first are kept if the second does not reach them. If the second fails too,
 * the list ends there, because cursors of the source expire too soon.
 */
export async function collect<Item>(
  mirroring: Mirroring,
  what: string,
  readPage: (cursor: string | undefined, size: PageSize) => Promise<Page<Item>>,
): Promise<Spool<Item>> {
  const name = createHash('sha256').update(what).digest('hex').slice(0, 16)
  const spool = await openSpool<Item>(join(mirroring.folder, name), mirroring.clock.now())
  const { state } = spool
  if (state.pages > 0) mirroring.say(`${what}: continuing after ${state.count} that were read before`)
  let traversals = 1
  let sizeAt = 0
  // So that the rate counts from the first request.
  mirroring.progress(what, state.count, state.total)
  while (!spool.state.complete) {
    mirroring.signal.throwIfAborted()
    const { cursor } = spool.state
    let page: Page<Item>
    try {
      page = await readPage(cursor, PAGE_SIZES[sizeAt])
    } catch (error) {
      if (!(error instanceof MirrorError) || error.code === undefined) throw error
      if (cursor === undefined && sizeAt < PAGE_SIZES.length - 1) {
        sizeAt++
        continue
      }
      if (cursor === undefined || error.code !== 'INVALID_ARGUMENT') throw error
      const { count, total } = spool.state
      if (++traversals > MAX_TRAVERSALS) {
        mirroring.say(
          `${what}: cursors of the source expire before the list ends; ${count} of ${total ?? 'an unknown number'} were read and are stored`,
        )
        await spool.endEarly()
        break
      }
      mirroring.say(
        `${what}: the cursor has expired; reading from the beginning and merging with the ${count} that were read before`,
      )
      await spool.traverseAgain(mirroring.clock.now())
      continue
    }
    if (page.next !== undefined && page.next === cursor)
      throw new MirrorError(`${what}: the source repeats the same page`)
    await spool.keep(page.items, page.next, spool.state.total ?? page.total)
    mirroring.progress(what, spool.state.count, spool.state.total)
  }
  return spool
}

/** Stores the spooled items and deletes the spool; also after a rejection, which later runs would only repeat. */
export async function storing<Item, Result>(spool: Spool<Item>, store: () => Promise<Result>): Promise<Result> {
  try {
    const result = await store()
    await spool.remove()
    return result
  } catch (error) {
    if (error instanceof ImportRefusedError) await spool.remove()
    throw error
  }
}

export function nextOf(pageInfo: { hasNextPage: boolean; endCursor?: string | null | undefined }): string | undefined {
  return pageInfo.hasNextPage && pageInfo.endCursor ? pageInfo.endCursor : undefined
}
