import { invalidResponse } from './errors.ts'
import type { RequestOptions, Settings } from './options.ts'
import type { PageInfo } from './schema.ts'

/** What the specification names of a page's place in its list. */
export type PagePlace = Pick<PageInfo, 'hasNextPage' | 'endCursor'>

export interface ListOptions extends RequestOptions {
  /** A cursor to read on from: `pageInfo.endCursor` of an earlier page. */
  after?: string | null | undefined
  /** Stop after so many pages. Default: read to the end. */
  maxPages?: number | undefined
}

/**
 * A list that is read page by page, as far as it is asked for: `for await (const item of list)`. Between two pages it
 * waits as PageSettings say.
 */
export interface List<Item, Page> extends AsyncIterable<Item> {
  /** The pages themselves, with `pageInfo` and, where the list has one, `totalCount`. */
  pages(): AsyncIterable<Page>
}

/** What was read of a list already. */
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
    // Without this a server that repeats a page would be read for ever.
    if (!endCursor || endCursor === cursor)
      throw invalidResponse('The list says that more follows, but not after which cursor')
    cursor = endCursor
    soFar.page = page
    soFar.items += itemsOf(page).length
    // What the caller did with the page was part of the wait.
    const wait = minimumWaitMs + random() * (maximumWaitMs - minimumWaitMs)
    await clock.sleep(Math.max(answeredAt + wait - clock.now(), 0), signal)
  }
}
