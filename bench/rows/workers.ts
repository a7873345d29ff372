import { prepareBoards, SPACES } from '../data/boards.ts'
import { interleave } from '../harness/rounds.ts'
import type { Row } from '../harness/row.ts'
import { pageBody } from '../load/board-pages.ts'
import { pageRequests, placesOnBoard } from '../load/first-time.ts'
import { startLoadGenerator } from '../load/load.ts'
import { drawn } from '../load/points.ts'
import { residentBytes } from '../processes/cpu-time.ts'
import { benchToken, type ServiceProcess, startService } from '../processes/service.ts'

const WORKERS = [1, 2, 3, 4]
const PAGES = 8_000
const CONNECTIONS = 64
const MEGABYTE = 1e6

const KINDS = ['first-time pages', 'the same page again'] as const

export const row: Row = {
  name: 'G5',
  title: 'throughput and memory as workers are added',
  measures: [],
  async run(context) {
    const { rounds, sizes } = context
    const database = await context.reading()
    await prepareBoards(database, context, ['middle'])
    const board = { spaceId: SPACES.middle, members: sizes.middle }
    const places = await placesOnBoard(database, board.spaceId, PAGES)
    const token = await benchToken(database)
    const services: ServiceProcess[] = []
    const generator = startLoadGenerator()
    try {
      // No process is pinned, so that all numbers of workers have the same cores.
      for (const workers of WORKERS) services.push(await startService(database, { workers, pinned: false }))
      const load = (service: ServiceProcess, bodies: string[]) =>
        generator.run(
          { url: `${service.url}/query`, pid: service.pid, headers: { 'access-token': token } },
          { bodies, once: true, connections: CONNECTIONS },
        )
      const sides = services.flatMap((service, n) =>
        KINDS.map((kind): [string, () => Promise<number>] => [
          `${kind}, ${WORKERS[n]}`,
          async () => {
            const bodies =
              kind === 'first-time pages'
                ? (await pageRequests(database, board, places)).service
                : Array<string>(2 * PAGES).fill(pageBody(board.spaceId, {}))
            return (await load(service, bodies)).perSecond
          },
        ]),
      )
      const measured = await interleave(rounds + 1, Object.fromEntries(sides))
      const rates = (kind: string) => WORKERS.map((workers) => measured[`${kind}, ${workers}`]?.slice(1) ?? [])
      const memory = services.map(({ pid }) => [residentBytes(pid) / MEGABYTE])
      const note = `Pages of 50 of a board of ${board.members.toLocaleString('en')}, ${CONNECTIONS} connections; service, PostgreSQL and load generator share all cores; medians and ranges of ${rounds} rounds.`
      const picture = {
        title: '1 to 4 workers',
        across: 'workers',
        at: WORKERS,
        panels: [
          { title: 'Pages a second', curves: KINDS.map((name) => ({ name, points: rates(name) })) },
          { title: 'Resident memory after the load, MB', curves: [{ name: 'service', points: memory }] },
        ],
        note,
      }
      return drawn(context, 'workers.svg', picture, {
        values: [],
        figures: WORKERS.flatMap((workers, n) => [
          ...KINDS.map((kind) => ({
            side: `${kind}, ${workers} workers`,
            unit: 'pages/s',
            rounds: rates(kind)[n] ?? [],
          })),
          { side: `resident memory of ${workers} workers`, unit: 'MB', rounds: memory[n] ?? [] },
        ]),
        notes: [note],
      })
    } finally {
      await generator.close()
      for (const service of services) await service.stop()
    }
  },
}
