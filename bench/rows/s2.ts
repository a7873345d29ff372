import { prepareBoards, SPACES } from '../data/boards.ts'
import { interleave, median, ratios } from '../harness/rounds.ts'
import type { Row } from '../harness/row.ts'
import { pageRequests, placesOnBoard } from '../load/first-time.ts'
import { startLoadGenerator } from '../load/load.ts'
import { PINNING } from '../processes/cores.ts'
import { startReference } from '../processes/reference.ts'
import { benchToken, startService } from '../processes/service.ts'
import { statementsOfService } from '../references/statements.ts'

const PAGES = 20_000
const CONNECTIONS = 32

export const row: Row = {
  name: 'S2',
  title: 'a page of 50 out of 1,000,000 members that nobody asked for before',
  measures: [{ title: 'requests/s in those of a handler written by hand with the same SQL', bound: '>=', limit: 1.2 }],
  async run(context) {
    const database = await context.reading()
    await prepareBoards(database, context, ['middle'])
    const token = await benchToken(database)
    const service = await startService(database)
    const statements = statementsOfService({ page: 'space.page-after' })
    const byHand = await startReference('by-hand', { connection: database.connection, statements })
    const generator = startLoadGenerator()
    const target = { url: `${service.url}/query`, pid: service.pid, headers: { 'access-token': token } }
    try {
      const board = { spaceId: SPACES.middle, members: context.sizes.middle }
      const places = await placesOnBoard(database, board.spaceId, context.quick ? 2_000 : PAGES)
      const once = { once: true, connections: CONNECTIONS }
      const side = (which: 'service' | 'byHand') => async (round: number) => {
        const requests = await pageRequests(database, board, places, round)
        return generator.run(which === 'service' ? target : byHand, { bodies: requests[which], ...once })
      }
      const measured = await interleave(context.rounds + 1, { service: side('service'), byHand: side('byHand') })
      const rate = (which: 'service' | 'byHand') => measured[which].slice(1).map(({ perSecond }) => perSecond)
      const cpu = (which: 'service' | 'byHand') => measured[which].slice(1).map((load) => load.cpu)
      return {
        values: [median(ratios(rate('service'), rate('byHand')))],
        figures: [
          { side: 'the service', unit: 'pages/s', rounds: rate('service') },
          { side: 'by hand', unit: 'pages/s', rounds: rate('byHand') },
          { side: 'the service, processor time', unit: 'µs/page', rounds: cpu('service') },
          { side: 'by hand, processor time', unit: 'µs/page', rounds: cpu('byHand') },
        ],
        notes: [
          `${places.length} pages all over the board, each asked for once, ${CONNECTIONS} connections, one process a side; the first round warms up. The reference has the same statement, prepared and named, on a pool of 8 connections of pg; no GraphQL, token, quota, log or sealed cursor.`,
          PINNING,
        ],
      }
    } finally {
      await generator.close()
      await byHand.stop()
      await service.stop()
    }
  },
}
