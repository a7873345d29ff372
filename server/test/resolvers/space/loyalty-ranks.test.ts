import { afterAll, describe, expect, test } from 'vitest'
import { importRecords } from '../../../src/ingest/import-records.ts'
import { firstError } from '../../support/ask.ts'
import { expectedStandings, type ShownRank, standings } from '../../support/boards.ts'
import { evmAddress, members, NOW, sprintMembers, startWorld, unix } from '../../support/fixture.ts'

const world = await startWorld()
afterAll(() => world.stop())

const board = expectedStandings(members)

interface Page {
  totalCount: number
  pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string | null; endCursor: string | null }
  list: ShownRank[]
  edges: { cursor: string; node: ShownRank }[]
}

const FIELDS =
  'totalCount pageInfo { hasNextPage hasPreviousPage startCursor endCursor } list { rank points address { address } }'

/** The page, or the error with its details. */
async function ranks(text: string, spaceId = 40): Promise<Page & { error?: string; details?: readonly string[] }> {
  const answer = await world.ask<{ space: { ranks: Page | null } }>(
    `{ space(id: ${spaceId}) { ranks: loyaltyPointsRanks(${text}) { ${FIELDS} } } }`,
  )
  return {
    ...(answer.data.space.ranks as Page),
    ...(answer.errors && { error: firstError(answer), details: answer.errors[0]?.extensions.details ?? [] }),
  }
}

describe('loyaltyPointsRanks(around:)', () => {
  test('puts the member in the middle of the page', async () => {
    const { address } = board[60] as (typeof board)[number]
    const page = await ranks(`around: "${address}"`)
    expect(standings(page.list)).toEqual(board.slice(36, 86))
    expect(page.totalCount).toBe(board.length)
    expect(page.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: true })
    expect(standings((await ranks(`around: "${address}", first: 1`)).list)).toEqual(board.slice(60, 61))
    expect(standings((await ranks(`around: "${address}", first: 4`)).list)).toEqual(board.slice(59, 63))
  })

  test('returns a full page at both ends of the board', async () => {
    const first = await ranks(`around: "${board[2]?.address}", first: 9`)
    expect(standings(first.list)).toEqual(board.slice(0, 9))
    expect(first.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: false })
    const last = await ranks(`around: "${board.at(-1)?.address}", first: 9`)
    expect(standings(last.list)).toEqual(board.slice(-9))
    expect(last.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true })
    const all = await ranks(`around: "${board[7]?.address}", first: 1000`)
    expect(standings(all.list)).toEqual(board)
    expect(all.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: false })
  })

  test('returns cursors to the pages before and after it', async () => {
    const { pageInfo } = await ranks(`around: "${board[60]?.address}", first: 10`)
    const next = await ranks(`first: 10, cursorAfter: "${pageInfo.endCursor}"`)
    const previous = await ranks(`first: 10, cursorBefore: "${pageInfo.startCursor}"`)
    expect(standings(next.list)).toEqual(board.slice(66, 76))
    expect(standings(previous.list)).toEqual(board.slice(46, 56))
  })

  test('finds members of sprints, and accepts an address in any spelling', async () => {
    const expected = expectedStandings(sprintMembers)
    const { address } = expected[20] as (typeof board)[number]
    const { list } = await ranks(`around: "EVM:${address.toUpperCase().replace('0X', '0x')}", sprintId: 1, first: 5`)
    expect(standings(list)).toEqual(expected.slice(18, 23))
  })

  test('returns the same from spaceLoyaltyPointsRanks', async () => {
    const around = board[60]?.address
    const { data } = await world.ask<{ spaceLoyaltyPointsRanks: Page }>(
      `{ spaceLoyaltyPointsRanks(spaceId: 40, around: "${around}") { ${FIELDS} } }`,
    )
    expect(data.spaceLoyaltyPointsRanks).toEqual(await ranks(`around: "${around}"`))
  })

  test.each(['cursorAfter', 'cursorBefore', 'after'])('rejects around together with %s', async (argument) => {
    const { pageInfo } = await ranks('first: 10')
    expect(await ranks(`around: "${board[3]?.address}", ${argument}: "${pageInfo.endCursor}"`)).toMatchObject({
      error: 'INVALID_ARGUMENT 400 Invalid pagination',
      details: ['reason: use around or a cursor, not both'],
    })
    // Values that stand for the first page are not cursors.
    expect((await ranks(`around: "${board[3]?.address}", ${argument}: "-1"`)).error).toBeUndefined()
  })

  test('rejects an address that is not on the board, malformed or empty', async () => {
    const nobody = evmAddress(77_777)
    expect(await ranks(`around: "${nobody}"`)).toMatchObject({
      error: 'NOT_FOUND 404 Member not found',
      details: [`address: ${nobody}`],
    })
    // On the overall board only, and a space without a board.
    expect((await ranks(`around: "${members[0]?.address}", sprintId: 1`)).error).toMatch(/Member not found$/)
    expect((await ranks(`around: "${members[0]?.address}"`, 42)).error).toMatch(/Member not found$/)
    expect((await ranks(`around: "${members[0]?.address}", sprintId: 9`)).error).toBe(
      'INVALID_ARGUMENT 400 Invalid sprint ID',
    )
    expect(await ranks(`around: " "`)).toMatchObject({
      error: 'INVALID_ARGUMENT 400 Address not provided',
      details: ['argument: around', 'allowed: an address, not empty'],
    })
    expect((await ranks(`around: "${'x'.repeat(91)}"`)).error).toBe('INVALID_ARGUMENT 400 Invalid address')
    expect((await ranks(`around: "${nobody}", first: 0`)).error).toBe('INVALID_ARGUMENT 400 Invalid pagination')
    expect(standings((await ranks('around: null, first: 3')).list)).toEqual(board.slice(0, 3))
  })
})

test('edges contain the members of the list, each with a cursor for both directions', async () => {
  const { data } = await world.ask<{ space: { loyaltyPointsRanks: Page } }>(
    `{ space(id: 40) { loyaltyPointsRanks(first: 20) {
         list { rank points address { address } } edges { cursor node { rank points address { address } } }
         pageInfo { startCursor endCursor } } } }`,
  )
  const { list, edges, pageInfo } = data.space.loyaltyPointsRanks
  expect(edges.map(({ node }) => node)).toEqual(list)
  expect([edges[0]?.cursor, edges.at(-1)?.cursor]).toEqual([pageInfo.startCursor, pageInfo.endCursor])
  const cursor = edges[11]?.cursor
  expect(standings((await ranks(`first: 5, cursorAfter: "${cursor}"`)).list)).toEqual(board.slice(12, 17))
  expect(standings((await ranks(`first: 5, cursorBefore: "${cursor}"`)).list)).toEqual(board.slice(6, 11))
})

test('addressLoyaltyPoints returns each member of each board to requests at the same time', async () => {
  const rankOf = async (address: string, sprintId: number | null) => {
    const answer = await world.ask<{ space: { addressLoyaltyPoints: ShownRank | null } }>(
      `query ($address: String!, $sprintId: Int) {
         space(id: 40) { addressLoyaltyPoints(address: $address, sprintId: $sprintId) { rank points address } }
       }`,
      { address, sprintId },
    )
    return answer.errors ? firstError(answer) : answer.data.space.addressLoyaltyPoints
  }
  const onSprint = sprintMembers.slice(0, 10).map(({ address, points }) => ({ address, points, rank: 2 }))
  const asked = [
    ...board.map((member) => ({ member, sprintId: null })),
    ...onSprint.map((member) => ({ member, sprintId: 1 })),
  ]
  const found = await Promise.all([
    ...asked.map(({ member, sprintId }) => rankOf(member.address, sprintId)),
    rankOf(evmAddress(77_777), null),
    rankOf(evmAddress(1), 99),
  ])
  expect(found).toEqual([...asked.map(({ member }) => member), null, 'INVALID_ARGUMENT 400 Invalid sprint ID'])
})

describe('addressesLoyaltyPoints', () => {
  const batch = async (addresses: string[], sprintId?: number) => {
    const answer = await world.ask<{ space: { batch: ({ rank: number } | null)[] | null } }>(
      `query ($addresses: [String!]!, $sprintId: Int) { space(id: 40) {
         batch: addressesLoyaltyPoints(addresses: $addresses, sprintId: $sprintId) { id rank points address totalCount percentile version }
       } }`,
      { addresses, sprintId },
    )
    return { ...answer, batch: answer.data.space.batch, details: answer.errors?.[0]?.extensions.details }
  }

  test('returns the members in the order of the addresses, and null for addresses that are not on the board', async () => {
    const [first, last] = [board[0] as (typeof board)[number], board.at(-1) as (typeof board)[number]]
    const page = (
      await world.ask<{ space: { loyaltyPointsRanks: { version: string } } }>(
        '{ space(id: 40) { loyaltyPointsRanks { version } } }',
      )
    ).data.space.loyaltyPointsRanks
    const wanted = [last.address, evmAddress(77_777), first.address.toUpperCase().replace('0X', '0x'), last.address]
    const shown = (member: typeof first, percentile: number) => ({
      id: `40-0-${member.address}`,
      ...member,
      totalCount: 130,
      percentile,
      version: page.version,
    })
    const lowest = shown(last, 0.769231)
    expect((await batch(wanted)).batch).toEqual([lowest, null, shown(first, 100), lowest])
    expect((await batch([])).batch).toEqual([])
    expect((await batch([first.address], 2)).batch).toEqual([null])
    const ofSprint = await batch(
      sprintMembers.map(({ address }) => address),
      1,
    )
    expect(ofSprint.batch?.map((member) => member?.rank)).toEqual(sprintMembers.map((_, n) => (n === 30 ? 1 : 2)))
  })

  test('rejects more than 100 addresses, unknown sprints, and names an address that is malformed', async () => {
    const refused = await batch(Array.from({ length: 101 }, (_, n) => evmAddress(n)))
    expect(firstError(refused)).toBe('INVALID_ARGUMENT 400 Too many addresses')
    expect(refused.details).toEqual(['argument: addresses', 'limit: 100', 'actual: 101'])
    expect((await batch(Array.from({ length: 100 }, (_, n) => evmAddress(n)))).batch).toHaveLength(100)
    expect(firstError(await batch([], 9))).toBe('INVALID_ARGUMENT 400 Invalid sprint ID')
    const empty = await batch(['a', ''])
    expect([empty.batch, firstError(empty)]).toEqual([null, 'INVALID_ARGUMENT 400 Address not provided'])
    expect(empty.details?.[0]).toBe('argument: addresses[1]')
    expect((await batch(['a'.repeat(91)])).details?.[0]).toBe('argument: addresses[0]')
  })

  test('counts a look-up for each address', async () => {
    const addresses = Array.from({ length: 100 }, (_, n) => evmAddress(n))
    const document = (times: number) =>
      `query ($a: [String!]!) { space(id: 40) { ${Array.from({ length: times }, (_, n) => `b${n}: addressesLoyaltyPoints(addresses: $a) { rank }`).join(' ')} } }`
    expect((await world.ask(document(9), { a: addresses })).errors).toBeUndefined()
    expect(firstError(await world.ask(document(10), { a: addresses }))).toMatch(/^COMPLEXITY_LIMIT_EXCEEDED/)
    expect((await world.ask(document(10), { a: addresses.slice(0, 50) })).errors).toBeUndefined()
  })
})

test('sprints lists the sprints of a space, highest ID first', async () => {
  await importRecords(world, 'sprints', [{ spaceId: 41, sprintId: 3 }])
  const { data } = await world.ask(
    '{ a: space(id: 40) { sprints { id name startTime endTime } } b: space(id: 42) { sprints { id } } }',
  )
  expect(data).toEqual({
    a: {
      sprints: [
        { id: 2, name: 'Nobody yet', startTime: null, endTime: null },
        { id: 1, name: 'First light', startTime: unix(NOW) - 30 * 86_400, endTime: unix(NOW) - 86_400 },
      ],
    },
    b: { sprints: [] },
  })
  const nested = await world.ask<{ quest: { space: { sprints: object[] } } }>(
    '{ quest(id: "GChdWUjXX3") { space { sprints { id } } } }',
  )
  expect(nested.data.quest.space.sprints).toHaveLength(2)
})
