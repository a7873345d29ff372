import * as fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DAY, HOUR } from '../../../../src/clock.ts'
import { refreshStarboard } from '../../../../src/ranking/starboards/refresh.ts'
import { testClock } from '../../../support/clock.ts'
import { createTestDatabase, type TestDatabase } from '../../../support/database.ts'
import { addSamples, createStarboard, type RankRow, ranksOf, type Sample } from '../../starboard-arrange.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

const NOW = Date.parse('2026-11-21T12:00:00Z')

/** A plain model of the rules, one user at a time. */
function expectedRanking(
  samples: Stored[],
  now: number,
  previous: Map<string, { rank: number; score: number }>,
): RankRow[] {
  const current = rankAsOf(samples, now)
  return current.map((row, index) => ({
    position: index + 1,
    handle: row.handle,
    rank: row.rank,
    score: row.score.toFixed(6),
    previous_rank: previous.get(row.handle)?.rank ?? null,
    previous_score: previous.get(row.handle)?.score.toFixed(6) ?? null,
    score_24h: latest(samples, row.handle, now - DAY)?.score.toFixed(6) ?? null,
    score_7d: latest(samples, row.handle, now - 7 * DAY)?.score.toFixed(6) ?? null,
    score_30d: latest(samples, row.handle, now - 30 * DAY)?.score.toFixed(6) ?? null,
    individual: row.individual,
    aura: row.aura,
  }))
}

interface Stored {
  handle: string
  at: number
  score: number
  individual: number
  aura: number
}

function latest(samples: Stored[], handle: string, moment: number): Stored | undefined {
  return samples.filter((one) => one.handle === handle && one.at <= moment).sort((a, b) => b.at - a.at)[0]
}

function rankAsOf(samples: Stored[], moment: number): (Stored & { rank: number })[] {
  const handles = [...new Set(samples.map((one) => one.handle))].sort()
  const scored = handles.flatMap((handle) => latest(samples, handle, moment) ?? [])
  return scored
    .map((one) => ({ ...one, rank: 1 + scored.filter((other) => other.score > one.score).length }))
    .sort((a, b) => a.rank - b.rank || (a.handle < b.handle ? -1 : 1))
}

const handles = ['ann', 'ben', 'cat', 'dan', 'eva', 'fay', 'gil', 'hal']
// Few distinct scores and times, so that ties are common; a tenth of the times is in the future.
const stored = fc.record({
  handle: fc.constantFrom(...handles),
  at: fc.integer({ min: -80, max: 8 }).map((halfDays) => NOW + halfDays * 12 * HOUR),
  score: fc.integer({ min: 0, max: 6 }).map((score) => score / 4),
  individual: fc.integer({ min: 0, max: 2 }),
  aura: fc.integer({ min: 0, max: 2 }),
})
const rounds = fc.array(
  fc.record({
    after: fc.integer({ min: 0, max: 60 }).map((hours) => hours * HOUR),
    samples: fc.array(stored, { maxLength: 40 }),
  }),
  { minLength: 1, maxLength: 3 },
)

test('publishes the ranking of a plain model for any samples in any order', async () => {
  let board = 0
  await fc.assert(
    fc.asyncProperty(rounds, async (arrivals) => {
      const id = `model${++board}`
      await createStarboard(database, id, handles)
      const known: Stored[] = []
      let published:
        { ranking: RankRow[]; newest: number; previous: Map<string, { rank: number; score: number }> } | undefined
      let version = 0
      let now = NOW
      for (const { after, samples } of arrivals) {
        now += after
        const fresh = samples.filter(
          (one, index) =>
            ![...known, ...samples.slice(0, index)].some((other) => other.handle === one.handle && other.at === one.at),
        )
        known.push(...fresh)
        const rows = fresh.map((one): Sample => [one.handle, new Date(one.at), one.score, one.individual, one.aura])
        if (rows.length > 0) await addSamples(database, id, rows)

        const moment = now
        const newest = Math.max(...known.filter((one) => one.at <= moment).map((one) => one.at))
        const previous = !published
          ? byHandle(rankAsOf(known, newest - 1))
          : newest > published.newest
            ? byHandle(
                published.ranking.map((row) => ({ handle: row.handle, rank: row.rank, score: Number(row.score) })),
              )
            : published.previous
        const ranking = expectedRanking(known, now, previous)
        const changed = JSON.stringify(ranking) !== JSON.stringify(published?.ranking ?? [])
        if (changed) {
          version++
          published = { ranking, newest, previous }
        }
        const outcome = await refreshStarboard({ database, clock: { now: () => moment } }, id)
        expect(outcome).toEqual({ starboardId: id, published: changed, version, userCount: ranking.length })
        if (version > 0) expect(await ranksOf(database, id, version)).toEqual(ranking)
      }
    }),
    { numRuns: 60 },
  )
})

function byHandle(
  ranks: { handle: string; rank: number; score: number }[],
): Map<string, { rank: number; score: number }> {
  return new Map(ranks.map(({ handle, rank, score }) => [handle, { rank, score }]))
}

test('ranks all users of a board if the newest samples do not contain all of them', async () => {
  const clock = testClock('2026-11-21T12:00:00Z')
  const many = Array.from({ length: 300 }, (_, n) => `user${String(n).padStart(3, '0')}`)
  await createStarboard(database, 'sparse', many)
  // User n has a sample every (n + 1) half days.
  const samples = many.flatMap((handle, n) =>
    Array.from({ length: Math.floor(80 / (n + 1)) + 1 }, (_, k): Sample => [
      handle,
      new Date(clock.now() - k * (n + 1) * 12 * HOUR),
      n * 7 + k,
    ]),
  )
  await addSamples(database, 'sparse', samples)
  await refreshStarboard({ database, clock }, 'sparse')
  const known = samples.map(([handle, at, score]) => ({
    handle,
    at: (at as Date).getTime(),
    score: Number(score),
    individual: 0,
    aura: 0,
  }))
  const before = byHandle(rankAsOf(known, clock.now() - 1))
  expect(await ranksOf(database, 'sparse', 1)).toEqual(expectedRanking(known, clock.now(), before))
})
