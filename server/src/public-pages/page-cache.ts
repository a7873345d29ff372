import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Reader } from '@questboard/pg-read-pipeline'
import { createRecent } from '../cache/recent-cache.ts'
import type { Clock } from '../clock.ts'
import { areValid, type CacheValidator } from '../graphql/cache-validators.ts'
import type { Language } from '../texts/languages.ts'
import { languageOf } from '../texts/request-language.ts'
import { type FinishedPage, sendFinished } from './send-finished.ts'

/** About 150 pages of 50 members. */
const CAPACITY_BYTES = 8 * 1024 * 1024
/** Memory of an entry in addition to its texts. */
const ENTRY_BYTES = 2_000

interface CachedPage extends FinishedPage {
  validators: readonly CacheValidator[]
  /** The running check, and the next check. */
  running: Promise<boolean> | undefined
  next: Promise<boolean> | undefined
}

/**
 * Finished pages by language and URL, which are sent without Fastify. Their validators are checked before each reuse, so
 * a page is never older than its request. They do not count against the limit of the network: requests share the check,
 * so the count would cost more than the page.
 */
export interface PageCache {
  /**
   * Sends the page in memory if it is still valid. @returns undefined if the page of this URL and language is not in
   * memory
   */
  send(request: IncomingMessage, response: ServerResponse): Promise<boolean> | undefined
  store(language: Language, url: string, page: FinishedPage, validators: readonly CacheValidator[]): void
}

export function createPageCache(reader: Reader, clock: Clock): PageCache {
  const pages = createRecent<CachedPage>(CAPACITY_BYTES, (key, { body }) => key.length + body.length + ENTRY_BYTES)

  // If the database is unavailable, the page is read again, and that read reports the error.
  const check = (page: CachedPage): Promise<boolean> =>
    (page.running = areValid(page.validators, reader, clock.now())
      .catch(() => false)
      .finally(() => {
        page.running = undefined
      }))

  /** Requests that arrive during a check share the next one. */
  function isValid(page: CachedPage): Promise<boolean> {
    if (!page.running) return check(page)
    return (page.next ??= page.running.then(() => {
      page.next = undefined
      return check(page)
    }))
  }

  async function sendIfValid(
    key: string,
    page: CachedPage,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<boolean> {
    if (!(await isValid(page))) {
      if (pages.get(key) === page) pages.delete(key)
      return false
    }
    await sendFinished(request, response, page)
    return true
  }

  return {
    send(request, response) {
      const { method, url = '' } = request
      if (method !== 'GET' && method !== 'HEAD') return undefined
      const key = keyOf(languageOf(request), url)
      const page = pages.get(key)
      return page && sendIfValid(key, page, request, response)
    },
    store(language, url, page, validators) {
      pages.set(keyOf(language, url), { ...page, validators, running: undefined, next: undefined })
    },
  }
}

const keyOf = (language: Language, url: string): string => `${language} ${url}`
