import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createMetrics, type Metrics } from '../../src/http/metrics.ts'
import { addUpFigures, type Teller } from '../../src/workers/figures.ts'
import { watchPulse } from '../../src/workers/pulse.ts'

/** A process that has answered so many queries. */
function processWith(queries: number): Metrics {
  const metrics = createMetrics()
  for (let query = 0; query < queries; query++) metrics.query(200, 0.001, 'space')
  return metrics
}
const queriesIn = ({ body }: { body: string }) => /^questboard_queries_total\{.*\} (\d+)$/m.exec(body)?.[1]

test('what a worker had counted that ends while the figures are told is told once, then and later', async () => {
  const answered = await processWith(3).values()
  const worker: Teller = { tell: () => Promise.resolve(answered) }
  const first: Teller = {
    async tell() {
      // The worker has told by now.
      await setImmediate()
      if (there.includes(worker)) {
        there = [first]
        figures.hasEnded(worker)
      }
      return processWith(1).values()
    },
  }
  let there = [first, worker]
  const figures = addUpFigures(() => there)
  expect(queriesIn(await figures.render())).toBe('4')
  expect(queriesIn(await figures.render())).toBe('4')
})

test('totals of all workers that have ended stay, and of one that cannot tell its figures those that it told last', async () => {
  const tellers = await Promise.all(
    [1, 10, 100, 1_000].map(async (queries) => {
      const values = await processWith(queries).values()
      return { tell: () => Promise.resolve(values) }
    }),
  )
  let there: Teller[] = tellers
  const figures = addUpFigures(() => there)
  await figures.render()
  const [stays, ...others] = tellers as [Teller, ...Teller[]]
  stays.tell = () => Promise.reject(new Error('it cannot'))
  for (const gone of others) {
    there = there.filter((each) => each !== gone)
    figures.hasEnded(gone)
  }
  expect(queriesIn(await figures.render())).toBe('1111')
  expect(queriesIn(await figures.render())).toBe('1111')
})

test('who asks for the figures while they are added up gets the same; later ones are added up anew', async () => {
  let told = 0
  const teller = { tell: () => processWith(++told).values() }
  const figures = addUpFigures(() => [teller])
  const [one, other] = await Promise.all([figures.render(), figures.render()])
  expect(other).toBe(one)
  expect(queriesIn(await figures.render())).toBe('2')
})

test('a process that answers nothing any more is noticed once, and one that answers is not', async () => {
  const watched = { interval: 2, longest: 10 }
  let silent = 0
  let living = 0
  let asked = 0
  const dead = watchPulse({ ...watched, ask: () => asked++, stopped: () => silent++ })
  const alive = watchPulse({ ...watched, ask: () => alive.felt(), stopped: () => living++ })
  try {
    await expect.poll(() => silent).toBe(1)
    await sleep(30)
  } finally {
    for (const pulse of [dead, alive]) pulse.end()
  }
  expect({ asked, silent, living }).toEqual({ asked: 5, silent: 1, living: 0 })
})
