import { prepareHolders, someAddresses } from '../data/holders.ts'
import { median, ratios } from '../harness/rounds.ts'
import type { Row } from '../harness/row.ts'
import { CONNECTIONS } from '../load/compare-first-time.ts'
import { eligibleRequests, eligibleWrittenOut } from '../load/first-time.ts'
import { figuresOf, type Place, withLoad } from '../load/points.ts'
import { PINNING } from '../processes/cores.ts'

const LOOKUPS = 20_000

export const row: Row = {
  name: 'S14',
  title: 'look-ups whose values are written into the document, none asked before',
  measures: [{ title: 'requests/s in those of the same look-ups with variables', bound: '>=', limit: 0.8 }],
  async run(context) {
    const database = await context.reading()
    await prepareHolders(database, context)
    const addresses = () => someAddresses(database, context.sizes.holders, context.quick ? 4_000 : LOOKUPS)
    const sides: Place[] = [
      { at: 0, connections: CONNECTIONS, bodies: async () => eligibleRequests(await addresses()).service },
      { at: 1, connections: CONNECTIONS, bodies: async () => eligibleWrittenOut(await addresses()) },
    ]
    const measured = await withLoad(database, (along) => along(sides, context.rounds))
    const [variables = [], written = []] = measured.map(({ rounds }) => rounds.map(({ perSecond }) => perSecond))
    return {
      values: [median(ratios(written, variables))],
      figures: figuresOf((at) => (at === 0 ? 'variables' : 'written into the document'), measured, 'look-up'),
      notes: [
        `Addresses of 10,000,000 holders, half of them holders, each asked for once, ${CONNECTIONS} connections, one service for both.`,
        PINNING,
      ],
    }
  },
}
