import * as fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DAY, HOUR, MINUTE } from '../../../../src/clock.ts'
import { refreshStarboard } from '../../../../src/ranking/starboards/refresh.ts'
import { countRanks } from '../../../../src/resolvers/starboard/count-ranks.ts'
import {
  findRankedUser,
  type RankedUserRow,
  readRanking,
} from '../../../../src/resolvers/starboard/starboard.queries.ts'
import { testClock } from '../../../support/clock.ts'
import { createTestDatabase, type TestDatabase } from '../../../support/database.ts'
import { addSamples, createStarboard, type RankRow, ranksOf, type Sample } from '../../starboard-arrange.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

let board = 0
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

// Fewer than a quarter of these users change in a few rounds, so that most rankings store only the changes.
const many = Array.from({ length: 400 }, (_, n) => `user${n}`)
/** The others have no sample at first. */
const RANKED_FIRST = 370
const manyStored = fc.record({
  handle: fc.constantFrom(...many),
  at: fc.integer({ min: -200, max: 40 }).map((minutes) => NOW + minutes * MINUTE),
  score: fc.integer({ min: 0, max: 12 }).map((score) => score / 4),
  individual: fc.integer({ min: 0, max: 2 }),
  aura: fc.integer({ min: 0, max: 2 }),
})
const first = fc.integer({ min: 2, max: 13 }).map((scores) => ({
  after: 0,
  samples: many.slice(0, RANKED_FIRST).map((handle, n) => ({
    handle,
    at: NOW - 2 * DAY + n * MINUTE,
    score: ((n * 7919) % scores) / 4,
    individual: 0,
    aura: 0,
  })),
}))
const smallRounds = fc
  .tuple(
    first,
    fc.array(
      fc.record({
        after: fc.integer({ min: 0, max: 8 }).map((minutes) => minutes * MINUTE),
        samples: fc.array(manyStored, { maxLength: 15 }),
      }),
      { minLength: 3, maxLength: 5 },
    ),
  )
  .map(([whole, changes]) => [whole, ...changes])

test.each([
  { which: 'all users', names: handles, series: rounds, numRuns: 60, size: 3 },
  { which: 'few users', names: many, series: smallRounds, numRuns: 12, size: 37 },
])('publishes the ranking of a plain model if $which change, for any samples in any order', async (given) => {
  const { names, series, numRuns, size } = given
  await fc.assert(
    fc.asyncProperty(series, async (arrivals) => {
      const id = `model${++board}`
      await createStarboard(database, id, names)
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
        if (version > 0) {
          expect(await ranksOf(database, id, version)).toEqual(ranking)
          expect(await pagesOf(id, version, size)).toEqual(ranking.map(shown))
        }
      }
    }),
    { numRuns },
  )
})

/** The values that pages contain. */
const shown = (row: RankRow) =>
  Object.fromEntries(Object.entries(row).filter(([name]) => name !== 'individual' && name !== 'aura'))

/** The rows of all pages. Some users are also read alone. */
async function pagesOf(id: string, version: number, size: number): Promise<Partial<RankRow>[]> {
  const rows: RankedUserRow[] = []
  for (;;) {
    const page = countRanks(await readRanking(database, id, version, rows.at(-1), size), rows.at(-1))
    rows.push(...page)
    if (page.length < size) break
  }
  for (const row of rows.filter((_, index) => index % Math.ceil(rows.length / 10) === 0))
    expect(await findRankedUser(database, id, version, row.handle)).toMatchObject(ranked(row))
  return rows.map(ranked)
}

const ranked = (row: RankedUserRow): Partial<RankRow> => ({
  position: row.position,
  handle: row.handle,
  rank: row.rank,
  score: row.score,
  previous_rank: row.previous_rank,
  previous_score: row.previous_score,
  score_24h: row.score_24h,
  score_7d: row.score_7d,
  score_30d: row.score_30d,
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
