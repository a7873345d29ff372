import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createMetrics, type Metrics } from '../../src/http/metrics.ts'
import { aggregateMetrics, type MetricsSource } from '../../src/workers/aggregate-metrics.ts'

/** A process that has served `queries` queries. */
function processWith(queries: number): Metrics {
  const metrics = createMetrics()
  for (let query = 0; query < queries; query++) metrics.query(200, 0.001, 'space')
  return metrics
}
const queriesIn = ({ body }: { body: string }) => /^questboard_queries_total\{.*\} (\d+)$/m.exec(body)?.[1]

test('counts a worker that exits during a read of the metrics exactly once', async () => {
  const answered = await processWith(3).values()
  const worker: MetricsSource = { readMetrics: () => Promise.resolve(answered) }
  const first: MetricsSource = {
    async readMetrics() {
      // The worker has responded by now.
      await setImmediate()
      if (there.includes(worker)) {
        there = [first]
        metrics.hasEnded(worker)
      }
      return processWith(1).values()
    },
  }
  let there = [first, worker]
  const metrics = aggregateMetrics(() => there)
  expect(queriesIn(await metrics.render())).toBe('4')
  expect(queriesIn(await metrics.render())).toBe('4')
})

test('keeps the totals of exited workers, and the last totals of a worker whose metrics fail', async () => {
  const sources = await Promise.all(
    [1, 10, 100, 1_000].map(async (queries) => {
      const values = await processWith(queries).values()
      return { readMetrics: () => Promise.resolve(values) }
    }),
  )
  let there: MetricsSource[] = sources
  const metrics = aggregateMetrics(() => there)
  await metrics.render()
  const [stays, ...others] = sources as [MetricsSource, ...MetricsSource[]]
  stays.readMetrics = () => Promise.reject(new Error('it cannot'))
  for (const gone of others) {
    there = there.filter((each) => each !== gone)
    metrics.hasEnded(gone)
  }
  expect(queriesIn(await metrics.render())).toBe('1111')
  expect(queriesIn(await metrics.render())).toBe('1111')
})

test('shares one result between concurrent readers, and reads again for later ones', async () => {
  let read = 0
  const source = { readMetrics: () => processWith(++read).values() }
  const metrics = aggregateMetrics(() => [source])
  const [one, other] = await Promise.all([metrics.render(), metrics.render()])
  expect(other).toBe(one)
  expect(queriesIn(await metrics.render())).toBe('2')
})
