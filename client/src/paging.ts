import { invalidResponse } from './errors.ts'
import type { RequestOptions, Settings } from './options.ts'
import type { PageInfo } from './schema.ts'

/** The fields of PageInfo that every server has. */
export type PagePlace = Pick<PageInfo, 'hasNextPage' | 'endCursor'>

export interface ListOptions extends RequestOptions {
  /** The cursor to continue after: `pageInfo.endCursor` of an earlier page. */
  after?: string | null | undefined
  /** The maximum number of pages. Default: all. */
  maxPages?: number | undefined
}

/**
 * A list that is read page by page on demand: `for await (const item of list)`. PageSettings define the wait between
 * pages.
 */
export interface List<Item, Page> extends AsyncIterable<Item> {
  /** The pages, with `pageInfo` and, if the list has one, `totalCount`. */
  pages(): AsyncIterable<Page>
}

/** The progress of reading a list. */
export interface ReadSoFar<Page> {
  page: Page | undefined
  items: number
}

export interface ListSource<Item, Page> {
  readPage: (after: string | null, soFar: ReadSoFar<Page>) => Promise<Page>
  itemsOf: (page: Page) => readonly Item[]
}

export function createList<Item, Page extends { pageInfo: PagePlace }>(
  settings: Pick<Settings, 'pages' | 'clock' | 'random'>,
  source: ListSource<Item, Page>,
  options: ListOptions = {},
): List<Item, Page> {
  const pages = () => readPages(settings, source, options)
  return {
    pages,
    async *[Symbol.asyncIterator]() {
      for await (const page of pages()) yield* source.itemsOf(page)
    },
  }
}

async function* readPages<Item, Page extends { pageInfo: PagePlace }>(
  { pages: { minimumWaitMs, maximumWaitMs }, clock, random }: Pick<Settings, 'pages' | 'clock' | 'random'>,
  { readPage, itemsOf }: ListSource<Item, Page>,
  { after = null, maxPages = Infinity, signal }: ListOptions,
): AsyncGenerator<Page, void> {
  const soFar: ReadSoFar<Page> = { page: undefined, items: 0 }
  for (let count = 1, cursor = after; ; count++) {
    const page = await readPage(cursor, soFar)
    const answeredAt = clock.now()
    yield page
    const { hasNextPage, endCursor } = page.pageInfo
    if (!hasNextPage || count >= maxPages) return
    // A server that repeats a page would cause an endless loop.
    if (!endCursor || endCursor === cursor)
      throw invalidResponse('The list has more pages, but no cursor for the next one')
    cursor = endCursor
    soFar.page = page
    soFar.items += itemsOf(page).length
    // The time that the caller used counts as part of the wait.
    const wait = minimumWaitMs + random() * (maximumWaitMs - minimumWaitMs)
    await clock.sleep(Math.max(answeredAt + wait - clock.now(), 0), signal)
  }
}
