import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BenchDatabase } from '../data/bench-database.ts'
import { type Curve, type Plot, plot } from '../harness/plot.ts'
import { interleave } from '../harness/rounds.ts'
import type { BenchContext, Figure, RowResult } from '../harness/row.ts'
import { postgresClock } from '../processes/postgres-time.ts'
import { benchToken, startService } from '../processes/service.ts'
import { type LoadGenerator, type LoadTarget, startLoadGenerator } from './load.ts'

/** What one load measured. */
export interface Point {
  perSecond: number
  /** Requests that were refused, because there were too many. */
  refused: number
  /** Microseconds of processor time a request, of the service and of PostgreSQL. */
  service: number
  postgres: number
}

/** A place on the horizontal axis, and the requests of a round there; none may have been asked before. */
export interface Place {
  at: number
  bodies: () => Promise<string[]>
  connections: number
}

/** All that was measured along a curve, by place and round. */
export type Measured = readonly { at: number; rounds: readonly Point[] }[]

const PICTURES = join(import.meta.dirname, '..', 'plots')

/** Starts a service, and lets `work` measure along curves with it. */
export async function withLoad<T>(
  database: BenchDatabase,
  work: (along: (places: readonly Place[], rounds: number) => Promise<Measured>, target: LoadTarget) => Promise<T>,
): Promise<T> {
  const token = await benchToken(database)
  const service = await startService(database)
  const generator = startLoadGenerator()
  const target = { url: `${service.url}/query`, pid: service.pid, headers: { 'access-token': token } }
  try {
    const clock = await postgresClock(database)
    return await work((places, rounds) => measure(places, rounds, generator, target, clock), target)
  } finally {
    await generator.close()
    await service.stop()
  }
}

/** Every place once a round, there and back; the first round warms up. */
async function measure(
  places: readonly Place[],
  rounds: number,
  generator: LoadGenerator,
  target: LoadTarget,
  clock: (() => number) | undefined,
): Promise<Measured> {
  const sides = places.map(({ at, bodies, connections }): [string, () => Promise<Point>] => [
    `at ${at}`,
    async () => {
      const order = { bodies: await bodies(), connections, once: true, mayRefuse: true }
      const before = clock?.() ?? NaN
      const { perSecond, cpu, requests, refused } = await generator.run(target, order)
      const answered = requests - refused
      return {
        perSecond: (perSecond * answered) / requests,
        refused,
        service: (cpu * requests) / answered,
        postgres: (((clock?.() ?? NaN) - before) * 1e6) / answered,
      }
    },
  ])
  const measured = await interleave(rounds + 1, Object.fromEntries(sides))
  return places.map(({ at }) => ({ at, rounds: (measured[`at ${at}`] ?? []).slice(1) }))
}

export const curve = (name: string, measured: Measured, of: keyof Point): Curve => ({
  name,
  points: measured.map(({ rounds }) => rounds.map((point) => point[of])),
})

/** What processor time goes where, as a panel; without PostgreSQL when it runs elsewhere. */
export function costPanel(measured: Measured, one: string): Plot['panels'][number] {
  const curves = [curve('service', measured, 'service'), curve('PostgreSQL', measured, 'postgres')]
  const known = curves.filter(({ points }) => points.flat().every(Number.isFinite))
  return { title: `Processor time, µs a ${one}`, curves: known }
}

export function figuresOf(what: (at: number) => string, measured: Measured, one: string): Figure[] {
  return measured.flatMap(({ at, rounds }) => [
    { side: what(at), unit: `${one}s/s`, rounds: rounds.map(({ perSecond }) => perSecond) },
    { side: `${what(at)}, service`, unit: `µs/${one}`, rounds: rounds.map(({ service }) => service) },
    { side: `${what(at)}, PostgreSQL`, unit: `µs/${one}`, rounds: rounds.map(({ postgres }) => postgres) },
  ])
}

/** Draws the plot of a row, and mentions it in the result. */
export async function drawn(
  { quick }: Pick<BenchContext, 'quick'>,
  file: string,
  picture: Plot,
  result: RowResult,
): Promise<RowResult> {
  if (!quick) {
    await mkdir(PICTURES, { recursive: true })
    await writeFile(join(PICTURES, file), plot(picture))
  }
  return { ...result, notes: [...(result.notes ?? []), `![${picture.title}](plots/${file})`] }
}
