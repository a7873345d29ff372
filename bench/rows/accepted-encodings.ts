import { prepareBoards, SPACES } from '../data/boards.ts'
import { prepareHolders, someAddresses } from '../data/holders.ts'
import { interleave, median, ratios, WARM_UP } from '../harness/rounds.ts'
import type { Row } from '../harness/row.ts'
import { pageBody } from '../load/board-pages.ts'
import { newLookups, newPages } from '../load/compare-first-time.ts'
import { eligibleRequests } from '../load/first-time.ts'
import { startLoadGenerator } from '../load/load.ts'
import { PINNING } from '../processes/cores.ts'
import { benchToken, startService } from '../processes/service.ts'

const CONNECTIONS = 32
const REQUESTS = 20_000

export const row: Row = {
  name: 'S21',
  title: 'the requests of S1 to S3 from clients that accept compressed answers',
  measures: [
    { title: 'a page of 50, asked before: processor time in that without Accept-Encoding', bound: '<=', limit: 1.03 },
    { title: 'eligible, asked before: processor time in that without Accept-Encoding', bound: '<=', limit: 1.03 },
    { title: 'a page of 50, first time: processor time in that without Accept-Encoding', bound: '<=', limit: 1.03 },
    { title: 'eligible, first time: processor time in that without Accept-Encoding', bound: '<=', limit: 1.03 },
  ],
  async run(context) {
    const database = await context.reading()
    await prepareBoards(database, context, ['middle'])
    await prepareHolders(database, context)
    const pages = await newPages(database, context, REQUESTS)
    const lookups = await newLookups(database, context, REQUESTS)
    const [eligible = ''] = eligibleRequests(await someAddresses(database, context.sizes.holders, 1)).service
    const again = { connections: CONNECTIONS, seconds: context.quick ? 1 : 2 }
    const orders = {
      'a page of 50, asked before': async () => ({ ...again, bodies: [pageBody(SPACES.middle, {})] }),
      'eligible, asked before': async () => ({ ...again, bodies: [eligible] }),
      'a page of 50, first time': async () => ({
        connections: CONNECTIONS,
        once: true,
        bodies: (await pages.requests()).service,
      }),
      'eligible, first time': async () => ({
        connections: CONNECTIONS,
        once: true,
        bodies: (await lookups.requests()).service,
      }),
    }
    const token = await benchToken(database)
    const service = await startService(database)
    const generator = startLoadGenerator()
    const plain = { url: `${service.url}/query`, pid: service.pid, headers: { 'access-token': token } }
    const accepting = { ...plain, headers: { ...plain.headers, 'accept-encoding': 'gzip, deflate, br' } }
    try {
      const values = []
      const figures = []
      for (const [what, order] of Object.entries(orders)) {
        const measured = await interleave(WARM_UP + context.rounds, {
          accepting: async () => generator.run(accepting, await order()),
          plain: async () => generator.run(plain, await order()),
        })
        const costs = (side: keyof typeof measured) => measured[side].slice(WARM_UP).map(({ cpu }) => cpu)
        values.push(median(ratios(costs('accepting'), costs('plain'))))
        figures.push(
          { side: `${what}, with Accept-Encoding`, unit: 'µs/request', rounds: costs('accepting') },
          { side: `${what}, without`, unit: 'µs/request', rounds: costs('plain') },
        )
      }
      return {
        values,
        figures,
        notes: [
          `The same service and requests, with and without \`Accept-Encoding: gzip, deflate, br\`, on ${CONNECTIONS} connections. All answers are smaller than 14,000 bytes, so none is compressed. The figures are the processor time of the service.`,
          PINNING,
        ],
      }
    } finally {
      await generator.close()
      await service.stop()
    }
  },
}
