import { prepareBoards, SPACES } from '../data/boards.ts'
import { interleave, ratios, median } from '../harness/rounds.ts'
import type { BenchContext, Row, RowResult } from '../harness/row.ts'
import { pagesBehind } from '../load/board-pages.ts'
import { type LoadGenerator, startLoadGenerator } from '../load/load.ts'
import { PINNING } from '../processes/cores.ts'
import { benchToken, type ServiceProcess, startService } from '../processes/service.ts'

const PAGE = 50
const DEEP_PAGE = 10_000
/** Each page is requested once, so that no cache affects the result. */
const PAGES = 500

export const row: Row = {
  name: 'S5',
  title: 'the cost of a page does not grow with its depth or with the board',
  measures: [
    { title: 'cost of page 10,000 in page 1', bound: '<=', limit: 1.2 },
    { title: 'cost of a page of 10,000,000 members in one of 100,000', bound: '<=', limit: 1.5 },
  ],
  async run(context) {
    const database = await context.reading()
    await prepareBoards(database, context, ['small', 'middle', 'large'])
    const token = await benchToken(database)
    const service = await startService(database)
    const generator = startLoadGenerator()
    try {
      return await measure(context, service, generator, token)
    } finally {
      await generator.close()
      await service.stop()
    }
  },
}

async function measure(
  { rounds, sizes, quick }: BenchContext,
  service: ServiceProcess,
  generator: LoadGenerator,
  token: string,
): Promise<RowResult> {
  const endpoint = { url: service.url, token }
  const target = { url: `${service.url}/query`, pid: service.pid, headers: { 'access-token': token } }
  const deep = quick ? sizes.middle / PAGE / 2 : DEEP_PAGE
  const at = (spaceId: number, page: number) => async (): Promise<number> => {
    const bodies = await pagesBehind(endpoint, spaceId, (page - 1) * PAGE, PAGES)
    const { perSecond } = await generator.run(target, { bodies, once: true, connections: 8 })
    return 1000 / perSecond
  }
  for (const spaceId of [SPACES.middle, SPACES.large, SPACES.small]) await at(spaceId, 1)()
  const cost = await interleave(rounds, {
    first: at(SPACES.middle, 1),
    deep: at(SPACES.middle, deep),
    small: at(SPACES.small, 1),
    large: at(SPACES.large, 1),
  })
  const unit = 'ms/page'
  return {
    values: [median(ratios(cost.deep, cost.first)), median(ratios(cost.large, cost.small))],
    figures: [
      { side: `page 1 of ${sizes.middle}`, unit, rounds: cost.first },
      { side: `page ${deep} of ${sizes.middle}`, unit, rounds: cost.deep },
      { side: `page 1 of ${sizes.small}`, unit, rounds: cost.small },
      { side: `page 1 of ${sizes.large}`, unit, rounds: cost.large },
    ],
    notes: [
      `Cost is the time a page takes on average with 8 connections that ask for ${PAGES} different pages, each once, through the whole service. "Page 1" is any of the first ${PAGES} members, each page beginning behind another one of them.`,
      PINNING,
    ],
  }
}
