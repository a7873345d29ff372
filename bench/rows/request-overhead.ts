import { prepareBoards, SPACES } from '../data/boards.ts'
import { prepareHolders, someAddresses } from '../data/holders.ts'
import { interleave, median, ratios, WARM_UP } from '../harness/rounds.ts'
import type { Row } from '../harness/row.ts'
import { cursorKey, eligibleRequests, pageRequests, placesOnBoard } from '../load/first-time.ts'
import { startLoadGenerator } from '../load/load.ts'
import { PINNING } from '../processes/cores.ts'
import { startReference } from '../processes/reference.ts'
import { benchToken, START_OPTIONS, startService } from '../processes/service.ts'

const CONNECTIONS = 32

export const row: Row = {
  name: 'S9',
  title: 'what token check, permissions, quota, usage, log and metrics cost together',
  measures: [
    { title: 'a page: percent of its time without them', bound: '<=', limit: 10 },
    { title: 'eligible: percent of its time without them', bound: '<=', limit: 10 },
  ],
  async run(context) {
    const database = await context.reading()
    await prepareBoards(database, context, ['middle'])
    await prepareHolders(database, context)
    const token = await benchToken(database)
    const service = await startService(database)
    const key = await cursorKey(database)
    const open = await startReference(
      'without-guards',
      { connection: database.connection, cursorKey: key },
      START_OPTIONS,
    )
    const generator = startLoadGenerator()
    const guarded = { url: `${service.url}/query`, pid: service.pid, headers: { 'access-token': token } }
    const unguarded = { ...open, url: `${open.url}/query` }
    try {
      const board = { spaceId: SPACES.middle, members: context.sizes.middle }
      const places = await placesOnBoard(database, board.spaceId, context.quick ? 2_000 : 10_000)
      const load = (target: typeof guarded | typeof unguarded, bodies: string[]) =>
        generator.run(target, { bodies, once: true, connections: CONNECTIONS })
      const page = (target: typeof guarded | typeof unguarded) => async () => {
        const { perSecond } = await load(target, (await pageRequests(database, board, places)).service)
        return 1e6 / perSecond
      }
      const eligible = (target: typeof guarded | typeof unguarded) => async () => {
        const addresses = await someAddresses(database, context.sizes.holders, 2 * places.length)
        return 1e6 / (await load(target, eligibleRequests(addresses).service)).perSecond
      }
      const measured = await interleave(WARM_UP + context.rounds, {
        page: page(guarded),
        openPage: page(unguarded),
        eligible: eligible(guarded),
        openEligible: eligible(unguarded),
      })
      const of = (side: keyof typeof measured) => measured[side].slice(WARM_UP)
      const more = (guardedSide: number[], openSide: number[]) => 100 * (median(ratios(guardedSide, openSide)) - 1)
      const unit = 'µs/request'
      return {
        values: [more(of('page'), of('openPage')), more(of('eligible'), of('openEligible'))],
        figures: [
          { side: 'page, the service', unit, rounds: of('page') },
          { side: 'page, without', unit, rounds: of('openPage') },
          { side: 'eligible, the service', unit, rounds: of('eligible') },
          { side: 'eligible, without', unit, rounds: of('openEligible') },
        ],
        notes: [
          `Requests that were not asked before, ${CONNECTIONS} connections. "Without" is the service's own query route in a process whose token check, quota, usage figures, log and metrics do nothing. Both run with the same options of Node. Three rounds before those that count warm up. Time is the mean between answers at full load.`,
          PINNING,
        ],
      }
    } finally {
      await generator.close()
      await open.stop()
      await service.stop()
    }
  },
}
