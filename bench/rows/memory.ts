import { prepareBoards, SPACES } from '../data/boards.ts'
import type { Row } from '../harness/row.ts'
import { pageRequests, placesOnBoard } from '../load/first-time.ts'
import { startLoadGenerator } from '../load/load.ts'
import { residentBytes } from '../processes/cpu-time.ts'
import { benchToken, startService } from '../processes/service.ts'

const MEGABYTE = 1e6
const PLACES = 50_000

export const row: Row = {
  name: 'S10',
  title: 'memory of the service under load, with a board of 10,000,000 members',
  measures: [{ title: 'largest resident memory in MB', bound: '<=', limit: 250, limitOfWorkers: 400 }],
  async run(context) {
    const database = await context.reading()
    await prepareBoards(database, context, ['large'])
    const token = await benchToken(database)
    const service = await startService(database)
    const generator = startLoadGenerator()
    const target = { url: `${service.url}/query`, pid: service.pid, headers: { 'access-token': token } }
    const sizes: number[] = []
    const look = setInterval(() => sizes.push(residentBytes(service.pid) / MEGABYTE), 100)
    try {
      const board = { spaceId: SPACES.large, members: context.sizes.large }
      const places = await placesOnBoard(database, board.spaceId, PLACES)
      let asked = 0
      for (let round = 0; round < context.rounds; round++) {
        const { service: bodies } = await pageRequests(database, board, places)
        asked += (await generator.run(target, { bodies, connections: 64, seconds: context.quick ? 2 : 8 })).requests
      }
      return {
        values: [Math.max(...sizes)],
        figures: [{ side: 'resident memory', unit: 'MB', rounds: sizes }],
        notes: [`${asked} pages all over the board, 64 connections; looked at ten times a second.`],
      }
    } finally {
      clearInterval(look)
      await generator.close()
      await service.stop()
    }
  },
}
