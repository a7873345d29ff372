import { prepareBoards, SPACES } from '../data/boards.ts'
import { prepareHolders, someAddresses } from '../data/holders.ts'
import { interleave, median, ratios, WARM_UP } from '../harness/rounds.ts'
import type { BenchContext, Figure, Row } from '../harness/row.ts'
import { pageBody } from '../load/board-pages.ts'
import { eligibleRequests } from '../load/first-time.ts'
import { type LoadGenerator, type LoadTarget, startLoadGenerator } from '../load/load.ts'
import { PINNING } from '../processes/cores.ts'
import { startReference } from '../processes/reference.ts'
import { benchToken, startService } from '../processes/service.ts'

const CONNECTIONS = 32

export const row: Row = {
  name: 'S1',
  title: 'a request that was asked before, of data that has not changed',
  measures: [
    { title: 'a page of 50: requests/s in those of bare node:http with the same bytes', bound: '>=', limit: 0.8 },
    { title: 'eligible: requests/s in those of bare node:http with the same bytes', bound: '>=', limit: 0.8 },
    { title: 'a page of 50: p99 in that of bare node:http', bound: '<=', limit: 2 },
    { title: 'eligible: p99 in that of bare node:http', bound: '<=', limit: 2 },
  ],
  async run(context) {
    const database = await context.reading()
    await prepareBoards(database, context, ['middle'])
    await prepareHolders(database, context)
    const token = await benchToken(database)
    const service = await startService(database)
    const generator = startLoadGenerator()
    const target = { url: `${service.url}/query`, pid: service.pid, headers: { 'access-token': token } }
    try {
      const [eligibleBody = ''] = eligibleRequests(await someAddresses(database, context.sizes.holders, 1)).service
      const page = await compare(context, generator, target, 'page', pageBody(SPACES.middle, {}))
      const eligible = await compare(context, generator, target, 'eligible', eligibleBody)
      return {
        values: [page.rate, eligible.rate, page.p99, eligible.p99],
        figures: [...page.figures, ...eligible.figures],
        notes: [
          `The same request over and over on ${CONNECTIONS} connections. The reference is a node:http server that reads the body and answers the bytes that the service answered, on the same core. Three rounds before those that count warm up.`,
          PINNING,
        ],
      }
    } finally {
      await generator.close()
      await service.stop()
    }
  },
}

async function compare(
  { rounds, quick }: BenchContext,
  generator: LoadGenerator,
  service: LoadTarget,
  what: string,
  body: string,
): Promise<{ rate: number; p99: number; figures: Figure[] }> {
  const answer = await fetch(service.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...service.headers },
    body,
  })
  const bare = await startReference('same-bytes', { body: await answer.text() })
  const order = { bodies: [body], seconds: quick ? 1 : 4, connections: CONNECTIONS }
  try {
    const measured = await interleave(WARM_UP + rounds, {
      service: () => generator.run(service, order),
      bare: () => generator.run({ ...bare, headers: service.headers ?? {} }, order),
    })
    const [ours, theirs] = [measured.service.slice(WARM_UP), measured.bare.slice(WARM_UP)]
    const rates = { ours: ours.map((load) => load.perSecond), theirs: theirs.map((load) => load.perSecond) }
    const slow = { ours: ours.map((load) => load.p99), theirs: theirs.map((load) => load.p99) }
    return {
      rate: median(ratios(rates.ours, rates.theirs)),
      p99: median(ratios(slow.ours, slow.theirs)),
      figures: [
        { side: `${what}, the service`, unit: 'requests/s', rounds: rates.ours },
        { side: `${what}, bare`, unit: 'requests/s', rounds: rates.theirs },
        { side: `${what}, the service, p99`, unit: 'ms', rounds: slow.ours },
        { side: `${what}, bare, p99`, unit: 'ms', rounds: slow.theirs },
        { side: `${what}, the service, processor time`, unit: 'µs/request', rounds: ours.map((load) => load.cpu) },
        { side: `${what}, bare, processor time`, unit: 'µs/request', rounds: theirs.map((load) => load.cpu) },
      ],
    }
  } finally {
    await bare.stop()
  }
}
