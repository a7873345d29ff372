import { systemClock } from '../../server/src/clock.ts'
import { inventRankDays } from '../../server/src/demo/load-demo.queries.ts'
import { importRecords } from '../../server/src/ingest/import-records.ts'
import type { BenchDatabase } from '../data/bench-database.ts'
import { prepareBoards, SPACES } from '../data/boards.ts'
import { interleave, median, ratios, WARM_UP } from '../harness/rounds.ts'
import type { Row } from '../harness/row.ts'
import { pageBody } from '../load/board-pages.ts'
import { startLoadGenerator } from '../load/load.ts'
import { PINNING } from '../processes/cores.ts'
import { benchToken, startService } from '../processes/service.ts'

const CONNECTIONS = 32
const SLUG = 'tiny'
const QUESTS = 12
const RANKS_WITH_HISTORY = 1_000

export const row: Row = {
  name: 'S20',
  title: 'the public page of a board',
  measures: [
    { title: 'processor time of GET /s/{slug} in that of the equal POST /query', bound: '<=', limit: 1 },
    { title: 'processor time of the same with If-None-Match in that of POST /query', bound: '<=', limit: 1 },
  ],
  async run(context) {
    const database = await context.fresh('s20')
    await prepareBoards(database, context, ['tiny'])
    await publish(database)
    const token = await benchToken(database)
    const service = await startService(database)
    const generator = startLoadGenerator()
    try {
      const page = { url: `${service.url}/s/${SLUG}`, pid: service.pid, headers: { 'accept-encoding': 'br, gzip' } }
      const query = { ...page, url: `${service.url}/query`, headers: { ...page.headers, 'access-token': token } }
      const order = { connections: CONNECTIONS, seconds: context.quick ? 1 : 2 }
      const get = { ...order, method: 'GET' as const }
      const measured = await interleave(WARM_UP + context.rounds, {
        query: () => generator.run(query, { ...order, bodies: [pageBody(SPACES.tiny, {})] }),
        page: () => generator.run(page, { ...get, bodies: [''] }),
        async unchanged() {
          const { headers } = await fetch(page.url)
          return generator.run(page, {
            ...get,
            status: 304,
            bodies: [`if-none-match: ${headers.get('etag') ?? ''}\r\n`],
          })
        },
      })
      const costs = (side: keyof typeof measured) => measured[side].slice(WARM_UP).map(({ cpu }) => cpu)
      const rates = (side: keyof typeof measured) => measured[side].slice(WARM_UP).map(({ perSecond }) => perSecond)
      const sides = [
        ['query', 'POST /query'],
        ['page', 'GET /s/{slug}'],
        ['unchanged', 'GET /s/{slug}, If-None-Match'],
      ] as const
      return {
        values: [median(ratios(costs('page'), costs('query'))), median(ratios(costs('unchanged'), costs('query')))],
        figures: sides.flatMap(([side, title]) => [
          { side: `${title}, processor time`, unit: 'µs/request', rounds: costs(side) },
          { side: title, unit: 'requests/s', rounds: rates(side) },
        ]),
        notes: [
          `The first 50 of ${context.sizes.tiny.toLocaleString('en')} members over and over on ${CONNECTIONS} connections: as JSON, as a page with pictures, movement, lines of 30 days and ${QUESTS} quests, and as 304. Clients accept Brotli. Processor time is that of the service.`,
          PINNING,
        ],
      }
    } finally {
      await generator.close()
      await service.stop()
    }
  },
}

/** With the history and the quests that a page of a community has. */
async function publish(database: BenchDatabase): Promise<void> {
  const now = new Date(systemClock.now())
  await inventRankDays(database.kysely, now, RANKS_WITH_HISTORY)
  await importRecords(
    { database, clock: systemClock },
    'quests',
    Array.from({ length: QUESTS }, (_, n) => ({
      id: `GCbench${n}`,
      spaceId: SPACES.tiny,
      name: `Quest ${n}`,
      type: 'Drop',
      status: 'Active',
    })),
  )
  await database.pool.query('INSERT INTO space_pages (space_id, slug, published_at) VALUES ($1, $2, $3)', [
    SPACES.tiny,
    SLUG,
    now,
  ])
}
