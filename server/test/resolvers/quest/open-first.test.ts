import { afterAll, beforeEach, expect, test } from 'vitest'
import { DAY, MINUTE } from '../../../src/clock.ts'
import { importRecords } from '../../../src/ingest/import-records.ts'
import type { QuestRecord } from '../../../src/ingest/records.ts'
import type { QuestStatus } from '../../../src/resolvers/quest/quest-status.ts'
import { firstError } from '../../support/ask.ts'
import { startWorld } from '../../support/fixture.ts'

const world = await startWorld()
afterAll(() => world.stop())

interface Page {
  totalCount: number
  pageInfo: { hasNextPage: boolean; endCursor: string | null }
  list: { id: string; status: string }[]
}
const SPACE = 4100

async function ask(input: Record<string, unknown>) {
  const { data, errors } = await world.ask<{ quests: Page | null }>(
    `query ($input: ListQuestInput!) {
       quests(input: $input) { totalCount pageInfo { hasNextPage endCursor } list { id status } }
     }`,
    { input: { spaceId: String(SPACE), order: 'OPEN_FIRST', ...input } },
  )
  return { page: data.quests, error: firstError({ errors }) }
}

async function page(input: Record<string, unknown> = {}): Promise<Page> {
  const { page: found } = await ask(input)
  if (!found) throw new Error('no page')
  return found
}
const idsOf = ({ list }: Page) => list.map(({ id }) => id)

/** The IDs of all pages. `change` runs between them. */
async function traverse(
  input: Record<string, unknown>,
  change?: (read: number) => Promise<unknown>,
): Promise<string[]> {
  const read: string[] = []
  for (let after: string | null = null; ;) {
    const { list, pageInfo } = await page({ ...input, after })
    read.push(...list.map(({ id }) => id))
    if (!pageInfo.hasNextPage) return read
    after = pageInfo.endCursor
    await change?.(read.length)
  }
}

const quest = (id: string, age: number, status: QuestStatus, days?: number): QuestRecord => ({
  id: `GC${id}`,
  spaceId: SPACE,
  name: id,
  type: 'Drop',
  status,
  createdAt: new Date(world.clock.now() - age * MINUTE),
  startTime: days === undefined ? null : new Date(world.clock.now() + days * DAY),
})
const quests = () => [
  quest('full', 1, 'CapReached'),
  quest('late', 2, 'NotStarted', 9),
  quest('open1', 3, 'Active'),
  quest('soon', 4, 'NotStarted', 1),
  quest('whenever', 5, 'NotStarted'),
  quest('over', 6, 'Expired'),
  quest('next', 7, 'NotStarted', 3),
  quest('open2', 8, 'Active', -5),
  quest('also', 9, 'NotStarted', 3),
]
const ORDER = ['open1', 'open2', 'soon', 'also', 'next', 'late', 'whenever', 'full', 'over'].map((id) => `GC${id}`)

beforeEach(async () => {
  await importRecords(world, 'spaces', [{ spaceId: SPACE, name: 'Meridian' }])
  await importRecords(world, 'quests', quests())
})

test('lists active quests, then those that start first, then the others', async () => {
  const { list, totalCount } = await page()
  expect(list.map(({ id }) => id)).toEqual(ORDER)
  expect(totalCount).toBe(ORDER.length)
})

test.each([1, 2, 3, 4, 8])('pages of %i quests contain each quest once', async (first) => {
  expect(await traverse({ first })).toEqual(ORDER)
})

test('keeps the order of the first page while quests start, end and get another start', async () => {
  const change = (read: number) =>
    importRecords(
      world,
      'quests',
      quests().map(({ id, ...other }) => {
        if (id === 'GCopen2') return { ...other, id, status: 'Expired' }
        if (id === 'GCsoon') return { ...other, id, status: 'Active' }
        return id === 'GCnext'
          ? { ...other, id, startTime: new Date(world.clock.now() + (20 - read) * DAY) }
          : { ...other, id }
      }),
    )
  expect(await traverse({ first: 1 }, change)).toEqual(ORDER)
  const later = ['open1', 'soon', 'also', 'late', 'next', 'whenever', 'full', 'over', 'open2']
  expect(idsOf(await page())).toEqual(later.map((id) => `GC${id}`))
})

test('filters by statuses and lists the quests of all spaces', async () => {
  expect(idsOf(await page({ statuses: ['NotStarted', 'Expired'] }))).toEqual([...ORDER.slice(2, 7), 'GCover'])
  const all = await page({ spaceId: null, first: 100 })
  expect(idsOf(all).filter((id) => ORDER.includes(id))).toEqual(ORDER)
  const statuses = all.list.map(({ status }) => status)
  expect(statuses.lastIndexOf('Active')).toBeLessThan(statuses.indexOf('NotStarted'))
  expect(await traverse({ spaceId: null, first: 7 })).toEqual(idsOf(all))
})

test('refuses a cursor of the other order', async () => {
  const { pageInfo } = await page({ first: 1 })
  expect((await ask({ order: 'NEWEST', after: pageInfo.endCursor })).error).toBe('INVALID_ARGUMENT 400 Invalid cursor')
  const newest = await page({ first: 1, order: 'NEWEST' })
  expect((await ask({ after: newest.pageInfo.endCursor })).error).toBe('INVALID_ARGUMENT 400 Invalid cursor')
})

test('continues in the current list after a cursor has expired', async () => {
  const { pageInfo } = await page({ first: 4 })
  world.clock.advance(DAY / 2)
  expect(idsOf(await page({ after: pageInfo.endCursor }))).toEqual(ORDER.slice(4))
})
