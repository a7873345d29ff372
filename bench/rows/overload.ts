import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { systemClock } from '../../server/src/clock.ts'
import { importRecords } from '../../server/src/ingest/import-records.ts'
import type { BenchDatabase } from '../data/bench-database.ts'
import type { Row } from '../harness/row.ts'
import { pageBody } from '../load/board-pages.ts'
import { startLoadGenerator } from '../load/load.ts'
import type { OpenLoad, Outcome } from '../load/open-loop.ts'
import { onCore } from '../processes/cores.ts'
import { benchToken, startService } from '../processes/service.ts'

const SPACE = 40
const MEMBERS = 1_000
const PAGE = 200
const CONNECTIONS = 64
const OVERLOAD_S = 60
const QUICK_OVERLOAD_S = 6
/** The request rate of the integrator that stays below its limits. */
const SECOND_CLIENT_PER_SECOND = 20

export const row: Row = {
  name: 'T4',
  title: 'twice the capacity for 60 s, one integrator flooding, another asking for little',
  measures: [
    { title: 'p99 of what was admitted, ms', bound: '<=', limit: 1_000 },
    { title: 'p99 of what was refused, ms', bound: '<=', limit: 1_000 },
    { title: 'answers other than 200, or 503 with Retry-After', bound: '<=', limit: 0 },
    { title: 'admitted a second, of the capacity', bound: '>=', limit: 0.5 },
    { title: 'requests of the modest integrator admitted', bound: '>=', limit: 0.99 },
    { title: 'throughput 2 s after it, of that before', bound: '>=', limit: 0.8 },
  ],
  async run(context) {
    const seconds = context.quick ? QUICK_OVERLOAD_S : OVERLOAD_S
    const database = await context.fresh('t4')
    await fillBoard(database)
    const [flood, modest] = [await benchToken(database), await benchToken(database)]
    const service = await startService(database)
    const generator = startLoadGenerator()
    const { hostname, port } = new URL(service.url)
    const body = pageBody(SPACE, { first: PAGE })
    const capacityOver = async (time: number): Promise<number> => {
      const target = {
        url: `${service.url}/query`,
        pid: service.pid,
        headers: { 'content-type': 'application/json', 'access-token': flood },
      }
      const bodies = Array.from(
        { length: 20_000 },
        (_, n) => `${body.slice(0, -1)},"extensions":{"run":${Math.random()},"n":${n}}}`,
      )
      return (await generator.run(target, { bodies, connections: CONNECTIONS, warmup: 2, seconds: time })).perSecond
    }
    try {
      const before = await capacityOver(5)
      context.say(`  capacity: ${Math.round(before)} requests/s`)
      const order: OpenLoad = {
        host: hostname,
        port: Number(port),
        senders: [
          { token: flood, perSecond: 2 * before },
          { token: modest, perSecond: SECOND_CLIENT_PER_SECOND },
        ],
        seconds,
        body,
        mostConnections: 6_000,
      }
      const [flooded, asked] = (await sendFrom(order)) as [Outcome, Outcome]
      context.say(`  flood: ${tell(flooded)}\n  modest: ${tell(asked)}`)
      // The generator warms up for two seconds before it counts.
      const after = await capacityOver(3)
      const odd = flooded.odd + asked.odd + flooded.unsent + asked.unsent
      return {
        values: [
          Math.max(flooded.admittedTook[1], asked.admittedTook[1]),
          flooded.refusedTook[1],
          odd,
          (flooded.admitted + asked.admitted) / seconds / before,
          asked.admitted / (asked.admitted + asked.refused + asked.odd),
          after / before,
        ],
        figures: [
          { side: 'capacity', unit: '/s', rounds: [before] },
          { side: 'flood: offered', unit: '/s', rounds: [2 * before] },
          { side: 'flood: admitted', unit: '/s', rounds: [flooded.admitted / seconds] },
          { side: 'flood: refused', unit: '/s', rounds: [flooded.refused / seconds] },
          { side: 'flood: admitted, p50, p99, longest', unit: 'ms', rounds: flooded.admittedTook },
          { side: 'flood: refused, p50, p99, longest', unit: 'ms', rounds: flooded.refusedTook },
          { side: 'modest: admitted, p50, p99, longest', unit: 'ms', rounds: asked.admittedTook },
          { side: 'afterwards', unit: '/s', rounds: [after] },
        ],
        notes: [
          `Pages of ${PAGE} of a board of ${MEMBERS}, no two requests alike. The capacity is what ${CONNECTIONS} connections get that wait for each answer. Then requests leave at twice that rate whether or not others were answered, on as many connections as that takes, for ${seconds} s; times count from the moment at which a request was due. A request that could not be sent counts as a wrong answer.`,
        ],
      }
    } finally {
      await generator.close()
      await service.stop()
    }
  },
}

function tell({ admitted, refused, odd, unsent, firstOdd, admittedTook, refusedTook }: Outcome): string {
  const times = (took: readonly number[]) => took.map((time) => Math.round(time)).join(' / ')
  return `${admitted} admitted (${times(admittedTook)} ms), ${refused} refused (${times(refusedTook)} ms), ${odd} odd, ${unsent} unsent ${firstOdd ?? ''}`
}

async function sendFrom(order: OpenLoad): Promise<Outcome[]> {
  const script = join(import.meta.dirname, '../load/open-loop.ts')
  const [command, args] = onCore('load', process.execPath, [script])
  const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  try {
    child.send(order)
    const [answer] = (await once(child, 'message')) as [Outcome[] | { error: string }]
    if ('error' in answer) throw new Error(answer.error)
    return answer
  } finally {
    child.kill()
  }
}

async function fillBoard(database: BenchDatabase): Promise<void> {
  const deps = { database, clock: systemClock }
  await importRecords(deps, 'spaces', [{ spaceId: SPACE, name: 'Space' }])
  const members = Array.from({ length: MEMBERS }, (_, n) => ({ spaceId: SPACE, address: `m${n}`, points: n }))
  await importRecords(deps, 'points', members)
}
