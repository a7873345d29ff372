import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { Clock } from '../clock.ts'
import type { Database } from '../database/connection.ts'
import { ImportRefusedError } from '../ingest/problems.ts'
import { MirrorError } from './mirror-error.ts'
import type { PoliteClient } from './polite-client.ts'
import { openSpool, type Spool } from './spool.ts'

/** What the parts of a mirror use. */
export interface Mirroring {
  client: PoliteClient
  database: Database
  clock: Clock
  signal: AbortSignal
  /** Folder of this source, for what was read and not stored yet. */
  folder: string
  progress(what: string, done: number, total: number | undefined): void
  /** Tells the operator what was done, or what could not be. */
  say(line: string): void
}

/** Traversals of a list in one run. */
const MAX_TRAVERSALS = 2

export interface Page<Item> {
  items: Item[]
  /** Place of the next page; undefined after the last. */
  next: string | undefined
  total: number | undefined
}

/** Page sizes to ask for, largest first; a source that refuses one is asked for the next. Undefined names no size. */
export const PAGE_SIZES = [1_000, 100, undefined] as const
export type PageSize = (typeof PAGE_SIZES)[number]

/**
 * Reads every page of a list into a spool, from where an earlier run stopped. When the source has forgotten the place,
 * another traversal starts, and what was read before is kept for those that it does not reach. A second traversal that
 * does not reach the end either ends the list there: cursors of the source live too short for it.
 */
export async function collect<Item>(
  mirroring: Mirroring,
  what: string,
  readPage: (cursor: string | undefined, size: PageSize) => Promise<Page<Item>>,
): Promise<Spool<Item>> {
  const name = createHash('sha256').update(what).digest('hex').slice(0, 16)
  const spool = await openSpool<Item>(join(mirroring.folder, name), mirroring.clock.now())
  const { state } = spool
  if (state.pages > 0) mirroring.say(`${what}: going on after ${state.count} that were read before`)
  let traversals = 1
  let sizeAt = 0
  // The rate counts from the first request.
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
          `${what}: the source forgets places before its list ends; ${count} of ${total ?? 'an unknown number'} were read and are stored`,
        )
        await spool.endEarly()
        break
      }
      mirroring.say(
        `${what}: the source does not know the place any more; reading from the beginning, and merging with the ${count} that were read before`,
      )
      await spool.traverseAgain(mirroring.clock.now())
      continue
    }
    if (page.next !== undefined && page.next === cursor)
      throw new MirrorError(`${what}: the source answers the same page again and again`)
    await spool.keep(page.items, page.next, spool.state.total ?? page.total)
    mirroring.progress(what, spool.state.count, spool.state.total)
  }
  return spool
}

/** Stores what was read and lets go of it; also when it is refused, or every later run would be refused the same. */
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

/** The place of the next page, from the source's `pageInfo`. */
export function nextOf(pageInfo: { hasNextPage: boolean; endCursor?: string | null | undefined }): string | undefined {
  return pageInfo.hasNextPage && pageInfo.endCursor ? pageInfo.endCursor : undefined
}
