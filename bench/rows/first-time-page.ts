import type { Row } from '../harness/row.ts'
import { BY_HAND, compareFirstTime, CONNECTIONS, newPages } from '../load/compare-first-time.ts'
import { PINNING } from '../processes/cores.ts'

const PAGES = 20_000

export const row: Row = {
  name: 'S2',
  title: 'first request for a page of 50 of a board of 1,000,000 members',
  measures: [{ title: 'requests/s in those of a handler written by hand with the same SQL', bound: '>=', limit: 1.2 }],
  async run(context) {
    const database = await context.reading()
    const pages = await newPages(database, context, PAGES)
    const [compared] = await compareFirstTime(database, context.rounds, [BY_HAND], [pages])
    return {
      values: compared?.values ?? [],
      figures: compared?.figures ?? [],
      notes: [
        `${pages.count} pages all over the board, each asked for once, ${CONNECTIONS} connections, one process a side; three rounds before them warm up. The reference has the same statement, prepared and named, on a pool of 8 connections of pg; no GraphQL, token, quota, log or signed cursor.`,
        PINNING,
      ],
    }
  },
}
