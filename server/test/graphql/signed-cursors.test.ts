import { afterAll, expect, test } from 'vitest'
import { DAY, MINUTE } from '../../src/clock.ts'
import { createCursors, CURSOR_MAX_LENGTH } from '../../src/graphql/signed-cursors.ts'
import { FIRST_PAGE_LIFETIME } from '../../src/lifetimes.ts'
import { importRecords } from '../../src/ingest/import-records.ts'
import { askAs, firstError, type QueryAnswer } from '../support/ask.ts'
import { PAGE, type RanksPage, readAll } from '../support/boards.ts'
import { NOW, startWorld } from '../support/fixture.ts'
import { startService } from '../support/service.ts'

const world = await startWorld()
afterAll(() => world.stop())

/** A list with pages: how to read a page after a cursor, and the error for an invalid cursor. */
interface List {
  page: (after: string | null, ask?: typeof world.ask) => Promise<QueryAnswer<Record<string, unknown>>>
  refusal: string
}

const ranks = (field: string) => `${field} { totalCount pageInfo { endCursor } list { rank address { address } } }`
const lists: Record<string, List> = {
  'the board of a space': {
    page: (after, ask = world.ask) =>
      ask(`query ($after: String) { space(id: 40) { ${ranks('loyaltyPointsRanks(cursorAfter: $after)')} } }`, {
        after,
      }),
    refusal: 'INVALID_ARGUMENT 400 Invalid cursor',
  },
  'the board of a sprint': {
    page: (after, ask = world.ask) =>
      ask(
        `query ($after: String) { ${ranks('spaceLoyaltyPointsRanks(spaceId: 40, sprintId: 1, cursorAfter: $after)')} }`,
        { after },
      ),
    refusal: 'INVALID_ARGUMENT 400 Invalid cursor',
  },
  'the board of another space': {
    page: (after, ask = world.ask) =>
      ask(`query ($after: String) { space(id: 41) { ${ranks('loyaltyPointsRanks(cursorAfter: $after)')} } }`, {
        after,
      }),
    refusal: 'INVALID_ARGUMENT 400 Invalid cursor',
  },
  'a starboard': {
    page: (after, ask = world.ask) =>
      ask(
        `query ($after: String) { starboard(id: "1") { leaderboard(pagination: { forward: { first: 5, after: $after } }) {
           totalCount pageInfo { endCursor } edges { node { rank { value } xUserProfile { username } } } } } }`,
        { after },
      ),
    refusal: 'INVALID_ARGUMENT 400 Invalid pagination',
  },
  'another starboard': {
    page: (after, ask = world.ask) =>
      ask(
        `query ($after: String) { starboard(id: "onchain") { leaderboard(pagination: { forward: { first: 1, after: $after } }) {
           totalCount pageInfo { endCursor } edges { node { rank { value } } } } } }`,
        { after },
      ),
    refusal: 'INVALID_ARGUMENT 400 Invalid pagination',
  },
  'all quests': {
    page: (after, ask = world.ask) =>
      ask(
        'query ($after: String) { quests(input: { first: 5, after: $after }) { totalCount pageInfo { endCursor } list { id } } }',
        { after },
      ),
    refusal: 'INVALID_ARGUMENT 400 Invalid cursor',
  },
  'the quests of a space': {
    page: (after, ask = world.ask) =>
      ask(
        'query ($after: String) { quests(input: { spaceId: "41", first: 5, after: $after }) { totalCount pageInfo { endCursor } list { id } } }',
        { after },
      ),
    refusal: 'INVALID_ARGUMENT 400 Invalid cursor',
  },
  'the drops': {
    page: (after, ask = world.ask) =>
      ask(
        'query ($after: String) { quests(input: { types: [Drop], first: 5, after: $after }) { totalCount pageInfo { endCursor } list { id } } }',
        {
          after,
        },
      ),
    refusal: 'INVALID_ARGUMENT 400 Invalid cursor',
  },
}
const cases = Object.entries(lists)
const endCursor = ({ text }: QueryAnswer<unknown>) => /"endCursor":"([^"]+)"/.exec(text)?.[1] ?? ''

test.each(cases)('returns a short, URL-safe cursor for %s', async (_, { page }) => {
  const cursor = endCursor(await page(null))
  expect(cursor).toMatch(/^[A-Za-z0-9_-]{20,200}$/)
})

test.each(cases)('rejects a cursor of %s with any changed character', async (_, { page, refusal }) => {
  const cursor = endCursor(await page(null))
  for (let at = 0; at < cursor.length; at++) {
    const changed = cursor.slice(0, at) + (cursor[at] === 'A' ? 'B' : 'A') + cursor.slice(at + 1)
    expect(firstError(await page(changed)), `character ${at}`).toBe(refusal)
  }
})

test.each(cases)(
  'rejects a cursor of %s that was shortened, lengthened or encoded differently',
  async (_, { page, refusal }) => {
    const cursor = endCursor(await page(null))
    const other = [
      cursor.slice(1),
      cursor.slice(0, -1),
      `${cursor}A`,
      `${cursor}=`,
      ` ${cursor}`,
      cursor.toLowerCase(),
      cursor.repeat(3),
    ]
    for (const changed of other.filter((one) => one !== cursor))
      expect(firstError(await page(changed)), changed).toBe(refusal)
  },
)

test.each(cases)('rejects the cursors of all other lists in %s', async (name, { page, refusal }) => {
  for (const [otherName, other] of cases) {
    const answer = await page(endCursor(await other.page(null)))
    expect(firstError(answer), otherName).toBe(otherName === name ? 'no error' : refusal)
  }
})

test.each(cases.filter(([name]) => !/quests|drops/.test(name)))(
  'accepts a cursor of %s for at least 15 minutes after the first page, then reports that it has expired',
  async (_, { page, refusal }) => {
    world.clock.set(new Date(NOW).toISOString())
    const cursor = endCursor(await page(null))
    world.clock.advance(15 * MINUTE)
    const later = await page(cursor)
    expect(firstError(later)).toBe('no error')
    // A later page does not extend the lifetime of the list.
    const second = endCursor(later)
    world.clock.advance(15 * MINUTE + FIRST_PAGE_LIFETIME + 1_000)
    for (const old of [cursor, second].filter((one) => one !== '')) {
      const answer = await page(old)
      expect(firstError(answer)).toBe(refusal)
      expect(answer.errors?.[0]?.extensions.details).toEqual(['reason: expired'])
    }
  },
)

test('continues an old cursor of quests in the current list, after its position', async () => {
  type Page = {
    quests: { totalCount: number; pageInfo: { endCursor: string; hasPreviousPage: boolean }; list: { id: string }[] }
  }
  const read = async (after: string | null, first = 1) => {
    const answer = await world.ask<Page>(
      `query ($after: String, $first: Int) {
        quests(input: { spaceId: "43", first: $first, after: $after }) {
          totalCount pageInfo { endCursor hasPreviousPage } list { id }
        }
      }`,
      { after, first },
    )
    expect(firstError(answer)).toBe('no error')
    return answer.data.quests
  }
  world.clock.set(new Date(NOW).toISOString())
  await importRecords(world, 'spaces', [{ spaceId: 43, name: 'Stored cursors' }])
  const quest = (id: string) => ({ id, spaceId: 43, name: id, type: 'Drop', status: 'Active' }) as const
  await importRecords(world, 'quests', ['stored1', 'stored2', 'stored3'].map(quest))
  const first = await read(null)
  expect(first).toMatchObject({ totalCount: 3, list: [{ id: 'stored1' }] })
  world.clock.advance(5 * DAY)
  await importRecords(world, 'quests', [{ ...quest('stored2'), status: 'Deleted' }, quest('stored4')])
  const rest = await read(first.pageInfo.endCursor, 10)
  expect(rest).toMatchObject({ totalCount: 3, pageInfo: { hasPreviousPage: true }, list: [{ id: 'stored3' }] })
  // The cursors of that page keep to the list of that page.
  const again = await read(first.pageInfo.endCursor)
  await importRecords(world, 'quests', [{ ...quest('stored4'), status: 'Deleted' }])
  expect((await read(again.pageInfo.endCursor)).totalCount).toBe(3)
})

test.each(cases)('accepts a cursor of %s in a second instance and after a restart', async (_, { page }) => {
  world.clock.set(new Date(NOW).toISOString())
  const cursor = endCursor(await page(null))
  const here = await page(cursor)
  for (let start = 0; start < 2; start++) {
    const other = await startService({ database: world.database, clock: world.clock })
    const there = await page(cursor, askAs(other.url, world.personas))
    await other.stop()
    expect(there.data).toEqual(here.data)
  }
})

test.each(cases)('gives equal first pages of %s equal cursors in all instances', async (_, { page }) => {
  const period = (start: number) => world.clock.set(new Date(start).toISOString())
  const start = Math.ceil(NOW / FIRST_PAGE_LIFETIME) * FIRST_PAGE_LIFETIME
  period(start)
  const here = endCursor(await page(null))
  period(start + FIRST_PAGE_LIFETIME - 1)
  const other = await startService({ database: world.database, clock: world.clock })
  const there = endCursor(await page(null, askAs(other.url, world.personas)))
  await other.stop()
  expect(there).toBe(here)
  // At the end of the period, no instance keeps a page with the old cursor.
  period(start + FIRST_PAGE_LIFETIME)
  if (here !== '') expect(endCursor(await page(null))).not.toBe(here)
})

test('rejects a cursor of another installation', async () => {
  const other = await startWorld()
  const { page, refusal } = lists['all quests'] as List
  expect(firstError(await page(endCursor(await page(null, other.ask))))).toBe(refusal)
  await other.stop()
})

test('encodes the longest position of a board in a valid cursor', async () => {
  const address = 'z'.repeat(90)
  await importRecords(world, 'points', [
    { spaceId: 42, address, points: 2_147_483_647 },
    { spaceId: 42, address: `${'é'.repeat(44)}zz`, points: 5 },
    { spaceId: 42, address: 'last', points: -2_147_483_648 },
  ])
  const readPage = async (cursorAfter: string | null) => {
    const { data } = await world.ask<{ space: { loyaltyPointsRanks: RanksPage } }>(
      `query ($cursorAfter: String) { space(id: 42) { loyaltyPointsRanks(first: 1, cursorAfter: $cursorAfter) { ${PAGE} } } }`,
      { cursorAfter },
    )
    return data.space.loyaltyPointsRanks
  }
  const pages = await readAll(readPage)
  for (const { pageInfo } of pages) expect(pageInfo.endCursor?.length).toBeLessThanOrEqual(CURSOR_MAX_LENGTH)
  const seen = pages.flatMap(({ list }) => list.map((rank) => rank.address.address))
  expect(seen).toEqual([address, `${'é'.repeat(44)}zz`, 'last'])
})

test('encodes the longest id of a quest in a valid cursor', async () => {
  const ids = ['a', 'b'].map((letter) => letter.repeat(100))
  await importRecords(
    world,
    'quests',
    ids.map((id) => ({ id, spaceId: 42, name: 'Long', type: 'Drop', status: 'Active' })),
  )
  const { data } = await world.ask<{ quests: { pageInfo: { endCursor: string } } }>(
    '{ quests(input: { spaceId: "42", first: 1 }) { pageInfo { endCursor } } }',
  )
  const next = await world.ask(
    'query ($after: String) { quests(input: { spaceId: "42", first: 1, after: $after }) { list { id } } }',
    {
      after: data.quests.pageInfo.endCursor,
    },
  )
  expect(next.data).toEqual({ quests: { list: [{ id: ids[1] }] } })
})

test('decodes every field of a cursor to its value, also at the ends of its range', () => {
  const cursors = createCursors(Buffer.alloc(32, 7))
  const fields = [
    0,
    1,
    -1,
    127,
    128,
    2_147_483_647,
    -2_147_483_648,
    2 ** 51 - 1,
    '',
    'ä',
    `0x${'ab'.repeat(20)}`,
    '0xAB',
  ]
  expect(cursors.verify('history', cursors.sign('history', fields))).toEqual(fields)
  expect(cursors.verify('quests', cursors.sign('history', fields))).toBeUndefined()
  expect(createCursors(Buffer.alloc(32, 8)).verify('history', cursors.sign('history', fields))).toBeUndefined()
})

test('signs the payload with the first 12 bytes of HMAC-SHA-256', async () => {
  const secret = Buffer.alloc(32, 7)
  const cursor = createCursors(secret).sign('quests', ['GCgarden01', 3])
  const key = await crypto.subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  const mac = Buffer.from(await crypto.subtle.sign('HMAC', key, Buffer.from(cursor.slice(16), 'base64url')))
  expect(cursor.slice(0, 16)).toBe(mac.subarray(0, 12).toString('base64url'))
})

test.each([null, '', '-1'])('returns the first page of every list for the cursor %j', async (cursor) => {
  const { data, errors } = await world.ask(
    `query ($c: String) {
      space(id: 40) {
        absent: loyaltyPointsRanks { list { rank } }
        after: loyaltyPointsRanks(after: $c) { list { rank } }
        cursorAfter: loyaltyPointsRanks(cursorAfter: $c) { list { rank } }
        cursorBefore: loyaltyPointsRanks(cursorBefore: $c) { list { rank } }
      }
      spaceLoyaltyPointsRanks(spaceId: 40, cursorAfter: $c, cursorBefore: $c) { list { rank } }
      starboard(id: "1") { leaderboard(pagination: { forward: { first: 1, after: $c } }) { pageInfo { hasPreviousPage } } }
      quests(input: { first: 1, after: $c }) { pageInfo { hasPreviousPage } }
    }`,
    { c: cursor },
  )
  expect(errors).toBeUndefined()
  const { space, ...lists } = data as { space: Record<string, unknown> }
  for (const list of Object.values(space)) expect(list).toEqual(space.absent)
  expect(lists).toMatchObject({
    spaceLoyaltyPointsRanks: space.absent,
    starboard: { leaderboard: { pageInfo: { hasPreviousPage: false } } },
    quests: { pageInfo: { hasPreviousPage: false } },
  })
})
