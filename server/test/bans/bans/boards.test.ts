import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { DAY } from '../../../src/clock.ts'
import { endDueBans } from '../../../src/bans/bans.ts'
import { importRecords } from '../../../src/ingest/import-records.ts'
import { deleteObject } from '../../../src/objects/objects.ts'
import { eraseAddress } from '../../../src/personal-data/erase-address.ts'
import { countChanges } from '../../../src/ranking/board-counts.ts'
import { enterSomeOpenings } from '../../../src/ledger/openings.ts'
import { verifyLedger } from '../../../src/ledger/verify.ts'
import { settleProfileChanges } from '../../../src/ranking/profile-changes.ts'
import { ingestToken, send } from '../../ingest-api/arrange.ts'
import { ask } from '../../support/ask.ts'
import { PAGE, type RanksPage, standings } from '../../support/boards.ts'
import { createPersonas } from '../../support/personas.ts'
import { startService } from '../../support/service.ts'
import { listen } from '../../webhooks/listen.ts'
import { bansFixture } from '../arrange.ts'

const service = await startService()
const second = await startService({ database: service.database, clock: service.clock })
afterAll(async () => {
  await second.stop()
  await service.stop()
})
const { business: token } = await createPersonas(service.deps)
const writer = await ingestToken(service)
const { database, clock, deps } = service
const { ban, lift, board } = bansFixture(service)

let spaceId = 100
beforeEach(async () => {
  spaceId++
  await database.query(
    'TRUNCATE bans, ban_addresses, banned_entries, board_entries, boards, ledger_entries, other_board_changes, profile_changes CASCADE',
  )
  await importRecords(deps, 'spaces', [{ spaceId, name: 'Space' }])
  await importRecords(deps, 'sprints', [{ spaceId, sprintId: 1 }])
})

let keys = 0
const award = async (address: string, points: number, more: object = {}, at = service) => {
  const { body } = await send(at, 'awards', [{ key: `k${keys++}`, spaceId, address, points, ...more }], {
    token: writer,
  })
  return body.results[0]
}
const page = async (cursor: string | null, first = 2): Promise<RanksPage> => {
  const { data, errors } = await ask<{ space: { loyaltyPointsRanks: RanksPage } }>(
    service.url,
    `{ space(id: ${spaceId}) { loyaltyPointsRanks(first: ${first}, cursorAfter: ${JSON.stringify(cursor)}) { ${PAGE} } } }`,
    { token },
  )
  expect(errors).toBeUndefined()
  return data.space.loyaltyPointsRanks
}
const rankOf = async (address: string) => {
  const { data } = await ask<{ space: { addressLoyaltyPoints: { rank: number; totalCount: number } | null } }>(
    service.url,
    `{ space(id: ${spaceId}) { addressLoyaltyPoints(address: "${address}") { rank totalCount } } }`,
    { token },
  )
  return data.space.addressLoyaltyPoints
}
const expectExactLedger = async () =>
  expect(await verifyLedger(database.kysely, spaceId)).toMatchObject({ chains: { count: 0 }, balances: { count: 0 } })

describe('a board', () => {
  it('closes the gap at once, and shows the banned member to readers of earlier versions', async () => {
    for (const [member, points] of [
      ['ann', 4],
      ['bob', 3],
      ['cid', 2],
      ['dan', 1],
    ] as const)
      await award(member, points)
    const before = await page(null)
    await ban({ address: 'bob' })
    expect(standings((await page(null, 50)).list)).toEqual([
      { rank: 1, points: 4, address: 'ann' },
      { rank: 2, points: 2, address: 'cid' },
      { rank: 3, points: 1, address: 'dan' },
    ])
    expect(before.totalCount).toBe(4)
    const rest = await page(before.pageInfo.endCursor)
    expect(standings(rest.list)).toEqual([
      { rank: 3, points: 2, address: 'cid' },
      { rank: 4, points: 1, address: 'dan' },
    ])
    expect(await rankOf('bob')).toBeNull()
    expect(await rankOf('dan')).toEqual({ rank: 3, totalCount: 3 })
    await expectExactLedger()
  })

  it('has exact ranks of a large board during and after a ban', async () => {
    await importRecords(
      deps,
      'points',
      Array.from({ length: 1_500 }, (_, n) => ({ spaceId, address: `m${n}`, points: n })),
    )
    await countChanges(database.kysely)
    const { id } = await ban({ address: 'm1400' }, { spaceId })
    expect(await rankOf('m1000')).toEqual({ rank: 499, totalCount: 1_499 })
    await countChanges(database.kysely)
    expect(await rankOf('m1000')).toEqual({ rank: 499, totalCount: 1_499 })
    await lift(id)
    expect(await rankOf('m1000')).toEqual({ rank: 500, totalCount: 1_500 })
    await countChanges(database.kysely)
    expect(await rankOf('m1000')).toEqual({ rank: 500, totalCount: 1_500 })
  })

  it('gets the member back with the points of before and of the ban', async () => {
    await award('ann', 5)
    await importRecords(deps, 'points', [{ spaceId, address: 'cid', points: 1, username: 'Cid' }])
    const { id } = await ban({ address: 'ann' }, { spaceId })
    await ban({ address: 'cid' }, { spaceId })
    expect(await award('ann', 3, { sprintId: 1 })).toEqual({ index: 0, status: 'applied', banned: true })
    expect(await award('new', 2)).toEqual({ index: 0, status: 'applied' })
    await importRecords(deps, 'points', [{ spaceId, address: 'cid', points: 9 }])
    expect(await board(spaceId)).toEqual({ new: 2 })
    expect(await board(spaceId, 1)).toEqual({})
    await expectExactLedger()
    await lift(id)
    expect(await board(spaceId)).toEqual({ ann: 8, new: 2 })
    expect(await board(spaceId, 1)).toEqual({ ann: 3 })
    await expectExactLedger()
    const [cid] = await database.query('SELECT points FROM banned_entries WHERE address = $1', ['cid'])
    expect(cid).toEqual({ points: 9 })
  })

  it('reports no ban for an award whose points count later', async () => {
    await award('ann', 1)
    await ban({ address: 'ann' })
    const availableAt = new Date(clock.now() + DAY).toISOString()
    expect(await award('ann', 3, { availableAt })).toEqual({ index: 0, status: 'applied' })
    expect(await award('ann', 3)).toMatchObject({ banned: true })
  })

  it('gets a member back under its current name', async () => {
    await importRecords(deps, 'points', [{ spaceId, address: 'ann', points: 5, username: 'Before' }])
    const { id } = await ban({ address: 'ann' })
    await importRecords(deps, 'points', [{ spaceId, address: 'ann', points: 5, username: 'After' }])
    await lift(id)
    expect((await page(null)).list).toMatchObject([{ address: { username: 'After', address: 'ann' } }])
  })

  it('refuses an award that would leave the range of points of a banned member', async () => {
    await award('ann', 2_147_483_647)
    await ban({ address: 'ann' })
    expect(await award('ann', 1)).toMatchObject({ status: 'refused', error: { code: 'OUT_OF_RANGE' } })
  })

  it('shows members of other spaces, and those with another ban until the last one ends', async () => {
    await award('ann', 1)
    const here = await ban({ address: 'ann' }, { spaceId })
    await importRecords(deps, 'spaces', [{ spaceId: 99, name: 'Elsewhere' }])
    await importRecords(deps, 'points', [{ spaceId: 99, address: 'ann', points: 1 }])
    expect(await board(99)).toEqual({ ann: 1 })
    const everywhere = await ban({ address: 'ann' })
    expect(await board(99)).toEqual({})
    await lift(here.id)
    expect(await board(spaceId)).toEqual({})
    await lift(everywhere.id)
    expect([await board(spaceId), await board(99)]).toEqual([{ ann: 1 }, { ann: 1 }])
  })

  it('loses no award that is stored at the same time as the ban and its end', async () => {
    const sent: Promise<unknown>[] = []
    const send = () => {
      for (let i = 0; i < 20; i++) sent.push(award('ann', 1, {}, i % 2 ? service : second))
    }
    send()
    const created = ban({ address: 'ann' }, { spaceId })
    send()
    const { id } = await created
    send()
    await Promise.all(sent)
    // A change is settled after the transactions that ran during it.
    await expect.poll(() => settleProfileChanges(database.kysely, clock).then(() => board(spaceId))).toEqual({})
    await expectExactLedger()
    send()
    const lifted = lift(id)
    send()
    await lifted
    await Promise.all(sent)
    await expect
      .poll(() => settleProfileChanges(database.kysely, clock).then(() => board(spaceId)))
      .toEqual({ ann: 100 })
    await expectExactLedger()
  })

  it('sends webhooks the members that enter and leave the first places', async () => {
    for (const [member, points] of [
      ['ann', 4],
      ['bob', 3],
      ['cid', 2],
    ] as const)
      await award(member, points)
    const types = ['points.awarded', 'rank.entered', 'rank.left']
    const { heard } = await listen(database, { subjects: [`space:${spaceId}`], types, top: 2 })
    const { id } = await ban({ address: 'ann' })
    const movesOf = async () =>
      (await heard()).map(({ type, data }) => [type, (data.members as { address: string }[]).map((one) => one.address)])
    expect(await movesOf()).toEqual([
      ['rank.entered', ['cid']],
      ['rank.left', ['ann']],
    ])
    await award('ann', 5)
    expect(await heard()).toEqual([])
    await lift(id)
    expect(await movesOf()).toEqual([
      ['rank.entered', ['ann']],
      ['rank.left', ['cid']],
    ])
  })
})

describe('a ban', () => {
  it('ends at its time', async () => {
    await award('ann', 1)
    const { id } = await ban({ address: 'ann' }, { endsAt: new Date(clock.now() + DAY).toISOString() })
    expect(await endDueBans(deps, clock.now() + DAY - 1)).toBe(0)
    expect(await board(spaceId)).toEqual({})
    expect(await endDueBans(deps, clock.now() + DAY)).toBe(1)
    expect(await board(spaceId)).toEqual({ ann: 1 })
    const [event] = await database.query(
      `SELECT event, details FROM security_events WHERE details ->> 'ban' = $1 AND event = 'ban.expired'`,
      [id],
    )
    expect(event).toMatchObject({ details: { ban: id, space: 'all', by: 'its end' } })
  })

  it('disappears with an erased address, whose points end in the ledger', async () => {
    await award('ann', 5, { sprintId: 1 })
    const { id } = await ban({ address: 'ann' }, { spaceId })
    expect(await eraseAddress(deps, 'ann')).toMatchObject({ boards: 2, bans: 1 })
    const rows = await database.query<{ address: string }>(
      `SELECT address, source, points_before, sprint_before FROM ledger_entries
       WHERE space_id = $1 AND source = 'erasure' ORDER BY sprint_id`,
      [spaceId],
    )
    expect(rows).toMatchObject([
      { points_before: 5, sprint_before: null },
      { points_before: null, sprint_before: 5 },
    ])
    expect(rows[0]?.address).toMatch(/^erased:/)
    await expectExactLedger()
    expect(await database.query('SELECT FROM bans WHERE ban_id = $1', [id])).toEqual([])
    await award('ann', 1)
    expect(await board(spaceId)).toEqual({ ann: 1 })
  })

  it('does not stop the deletion of a sprint and of a space', async () => {
    await award('ann', 5, { sprintId: 1 })
    await ban({ address: 'ann' }, { spaceId })
    await deleteObject(deps, 'sprint', `${spaceId}-1`, { note: async () => {} })
    await expectExactLedger()
    await deleteObject(deps, 'space', String(spaceId), { note: async () => {} })
    const left = await database.query(
      `SELECT space_id FROM banned_entries WHERE space_id = $1 UNION ALL SELECT space_id FROM bans WHERE space_id = $1
       UNION ALL SELECT space_id FROM ban_addresses WHERE space_id = $1`,
      [spaceId],
    )
    expect(left).toEqual([])
  })

  it('does not stop the opening balance of its member', async () => {
    await award('ann', 5)
    await award('bob', 6)
    await ban({ address: 'ann' }, { spaceId })
    await database.query('DELETE FROM ledger_entries WHERE space_id = $1', [spaceId])
    await database.query('INSERT INTO ledger_openings (space_id, sprint_id) VALUES ($1, 0)', [spaceId])
    while ((await enterSomeOpenings(database.kysely, clock)) > 0);
    expect(await verifyLedger(database.kysely, spaceId)).toMatchObject({ entries: 2, balances: { count: 0 } })
  })
})
