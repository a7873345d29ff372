import { prepareHolders, someAddresses } from '../data/holders.ts'
import { interleave, median, ratios } from '../harness/rounds.ts'
import type { Row } from '../harness/row.ts'
import { eligibleRequests } from '../load/first-time.ts'
import { startLoadGenerator } from '../load/load.ts'
import { PINNING } from '../processes/cores.ts'
import { startReference } from '../processes/reference.ts'
import { benchToken, startService } from '../processes/service.ts'
import { statementsOfService } from '../references/statements.ts'

const LOOKUPS = 40_000
const CONNECTIONS = 32

export const row: Row = {
  name: 'S3',
  title: 'whether an address holds a credential of 10,000,000 holders, which nobody asked before',
  measures: [{ title: 'requests/s in those of a handler written by hand with the same SQL', bound: '>=', limit: 0.9 }],
  async run(context) {
    const database = await context.reading()
    await prepareHolders(database, context)
    const token = await benchToken(database)
    const service = await startService(database)
    const statements = statementsOfService({ holds: 'holders.holds' })
    const byHand = await startReference('by-hand', { connection: database.connection, statements })
    const generator = startLoadGenerator()
    const target = { url: `${service.url}/query`, pid: service.pid, headers: { 'access-token': token } }
    try {
      const once = { once: true, connections: CONNECTIONS }
      const count = context.quick ? 4_000 : LOOKUPS
      const side = (which: 'service' | 'byHand') => async () => {
        const requests = eligibleRequests(await someAddresses(database, context.sizes.holders, count))
        return generator.run(which === 'service' ? target : byHand, { bodies: requests[which], ...once })
      }
      const measured = await interleave(context.rounds + 1, { service: side('service'), byHand: side('byHand') })
      const rate = (which: 'service' | 'byHand') => measured[which].slice(1).map(({ perSecond }) => perSecond)
      const cpu = (which: 'service' | 'byHand') => measured[which].slice(1).map((load) => load.cpu)
      return {
        values: [median(ratios(rate('service'), rate('byHand')))],
        figures: [
          { side: 'the service', unit: 'requests/s', rounds: rate('service') },
          { side: 'by hand', unit: 'requests/s', rounds: rate('byHand') },
          { side: 'the service, processor time', unit: 'µs/request', rounds: cpu('service') },
          { side: 'by hand, processor time', unit: 'µs/request', rounds: cpu('byHand') },
        ],
        notes: [
          `${count} addresses a round, half of them holders, ${CONNECTIONS} connections, one process a side; the first round warms up. The reference asks the one statement that decides, prepared and named, on a pool of 8 connections of pg; no GraphQL, token, quota or log, and it does not look whether the credential exists.`,
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
