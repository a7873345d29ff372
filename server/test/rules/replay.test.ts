import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { DAY, SECOND } from '../../src/clock.ts'
import { applyReversals } from '../../src/ledger/reversals.ts'
import { dryRun, type ReplayRequest, replayRules } from '../../src/rules/replay.ts'
import { BY_COMMAND, readRules } from '../../src/rules/rule-sets.ts'
import { startService } from '../support/service.ts'
import { rulesFixture } from './arrange.ts'

const service = await startService()
afterAll(() => service.stop())
const { database, deps, clock } = service
const fixture = rulesFixture(service)
const { quest, set, award, claim, count, board, entries, verified } = fixture
let space = 0
beforeEach(async () => {
  space = await fixture.newSpace()
})

const rulesOf = (...rules: object[]) =>
  readRules({ rules: rules.map((rule, i) => ({ id: `r${i}`, description: 'A rule', ...rule })) })
const tryOut = (rules: object[], request: Partial<ReplayRequest> = {}) =>
  dryRun(deps, space, rulesOf(...rules), { maxEvents: 1_000, ...request })
const replay = async (request: Partial<ReplayRequest> = {}) =>
  (
    await database.kysely
      .transaction()
      .execute((trx) =>
        replayRules({ ...deps, clock }, trx, space, { maxEvents: 1_000, author: BY_COMMAND, ...request }),
      )
  ).differences
const reverse = async (key: string) => {
  const outcomes = await database.kysely
    .transaction()
    .execute((trx) => applyReversals(trx, space, [{ key, reason: 'Wrong' }], clock))
  expect(outcomes).toMatchObject([{ status: 'applied' }])
}
const keyOf = async (source: string) => String((await entries('key', source))[0]?.key)

describe('a dry run', () => {
  it('shows the difference of each member, and changes nothing', async () => {
    await quest(`GCa${space}`)
    await set({ kind: 'claim', points: 5 })
    await claim(`GCa${space}`, 'ann', 'bob')
    await count()
    await award({ address: 'ann', points: 30 })
    const before = [await board(), await entries('version', 'rule')]
    const found = await tryOut([
      { kind: 'claim', points: 7 },
      { kind: 'award', points: 1 },
    ])
    expect(found).toMatchObject({
      events: 3,
      members: 2,
      differences: [
        { address: 'ann', before: 5, after: 8, difference: 3 },
        { address: 'bob', before: 5, after: 7, difference: 2 },
      ],
    })
    expect(found.rules.toSorted((a, b) => a.id.localeCompare(b.id))).toEqual([
      { id: 'r0', before: 10, after: 14 },
      { id: 'r1', before: 0, after: 1 },
    ])
    expect([await board(), await entries('version', 'rule')]).toEqual(before)
  })

  it('counts the whole past of a space without rules, and from a time on', async () => {
    await award({ address: 'ann', points: 10 })
    clock.advance(DAY)
    const since = new Date(clock.now())
    await award({ address: 'ann', points: 10 })
    expect((await tryOut([{ kind: 'award', points: 2 }])).differences).toMatchObject([{ after: 4 }])
    expect((await tryOut([{ kind: 'award', points: 2 }], { since })).differences).toMatchObject([{ after: 2 }])
  })

  it('rejects more events than it may keep, an unknown space, and a time after the first version', async () => {
    await award({ address: 'ann' }, { address: 'bob' })
    const rules = [{ kind: 'award', points: 1 }]
    await expect(tryOut(rules, { maxEvents: 1 })).rejects.toMatchObject({ status: 409, code: 'too_many_events' })
    await expect(dryRun(deps, 999_999, rulesOf(...rules), { maxEvents: 1 })).rejects.toMatchObject({ status: 404 })
    await set({ kind: 'award', points: 1 })
    const since = new Date(clock.now() + 1)
    await expect(tryOut(rules, { since })).rejects.toMatchObject({ status: 400, field: 'since' })
  })
})

describe('a replay', () => {
  it('takes back points and gives others, as the dry run said, and keeps the ledger verifiable', async () => {
    await set({ kind: 'award', points: 5 })
    await award({ address: 'ann', points: 10 }, { address: 'bob', points: 90 })
    await count()
    expect(await board()).toEqual({ ann: 15, bob: 95 })
    const rules = [{ kind: 'award', points: 8, minPoints: 50 }]
    const expected = await tryOut(rules)
    await set(...rules)
    expect(await board()).toEqual({ ann: 15, bob: 95 })
    const found = await replay()
    expect(found).toEqual(expected)
    expect(await board()).toEqual({ ann: 10, bob: 98 })
    const taken = await entries('address, points_before, points_after, reverses', 'reversal')
    expect(taken.map(({ address }) => address).toSorted()).toEqual(['ann', 'bob'])
    expect(taken.every(({ reverses }) => reverses !== null)).toBe(true)
    expect(await verified()).toEqual([])
  })

  it('changes nothing when it is repeated', async () => {
    await award({ address: 'ann', points: 10 }, { address: 'bob', points: 90 })
    await set({ kind: 'award', points: 5 })
    expect(await replay({ since: new Date(0) })).toMatchObject({ events: 2, members: 2 })
    const boards = await board()
    expect(boards).toEqual({ ann: 15, bob: 95 })
    expect(await replay({ since: new Date(0) })).toMatchObject({ events: 2, members: 0, differences: [] })
    expect(await board()).toEqual(boards)
  })

  it('leaves caps and streaks as if the rules had always counted', async () => {
    await award({ address: 'ann' })
    await set({ kind: 'award', points: 6, cap: { points: 10, per: 'ever' } })
    await replay({ since: new Date(0) })
    await award({ address: 'ann' }, { address: 'ann' })
    await count()
    expect(await board()).toEqual({ ann: 15 + 10 })
    expect(await verified()).toEqual([])
  })

  it('counts events that wait first, and does not count them twice', async () => {
    await set({ kind: 'award', points: 5 })
    await award({ address: 'ann', points: 10 })
    expect(await replay()).toMatchObject({ events: 1, members: 0 })
    await count()
    expect(await board()).toEqual({ ann: 15 })
  })

  it('does not count an award that an operator has reversed', async () => {
    await set({ kind: 'award', points: 5 })
    await award({ key: `wrong-${space}`, address: 'ann', points: 10 }, { address: 'ann', points: 20 })
    await count()
    expect(await board()).toEqual({ ann: 40 })
    await reverse(`wrong-${space}`)
    expect(await board()).toEqual({ ann: 30 })
    expect(await replay()).toMatchObject({ differences: [{ address: 'ann', before: 10, after: 5 }] })
    expect(await board()).toEqual({ ann: 25 })
  })

  it('does not count a claim whose points an operator has reversed', async () => {
    await quest(`GCr${space}`)
    await set({ kind: 'claim', points: 5 })
    await claim(`GCr${space}`, 'ann', 'bob')
    await count()
    const before = await board()
    const key = await keyOf('quest')
    await reverse(key)
    const found = await replay()
    expect(found).toMatchObject({ events: 1, members: 1, differences: [{ before: 5, after: 0 }] })
    const member = String(found.differences[0]?.address)
    const points = (await entries('points_after - coalesce(points_before, 0) AS points', 'quest'))[0]?.points
    expect(await board()).toEqual({ ...before, [member]: Number(before[member]) - 5 - Number(points) })
    expect(await verified()).toEqual([])
  })

  it('does not give points again that an operator has taken back', async () => {
    await set({ kind: 'award', points: 5 })
    await award({ address: 'ann', points: 10 })
    await count()
    await reverse(await keyOf('rule'))
    expect(await board()).toEqual({ ann: 10 })
    expect(await replay()).toMatchObject({ members: 0 })
    await set({ kind: 'award', points: 7 })
    expect(await replay()).toMatchObject({ members: 0 })
    expect(await board()).toEqual({ ann: 10 })
  })

  it('stores nothing if a total would leave its range', async () => {
    await award({ address: 'ann', points: 2_147_483_640 })
    await set({ kind: 'award', points: 100 })
    const before = await board()
    await expect(replay({ since: new Date(0) })).rejects.toMatchObject({ status: 409, code: 'out_of_range' })
    expect(await board()).toEqual(before)
    expect(await entries('version')).toEqual([])
  })

  it('gives points in the sprint of the time of the event', async () => {
    await database.query(
      `INSERT INTO sprints (space_id, sprint_id, name, start_time) VALUES ($1, 1, 'One', to_timestamp($2))`,
      [space, clock.now() / 1_000 - 60],
    )
    await award({ address: 'ann', points: 10 })
    await set({ kind: 'award', points: 5 })
    await replay({ since: new Date(0) })
    expect([await board(), await board(1)]).toEqual([{ ann: 15 }, { ann: 5 }])
  })

  it('needs rules', async () => {
    await expect(replay()).rejects.toMatchObject({ status: 404 })
  })
})

it('records only the time of its last version, after all entries', async () => {
  await set({ kind: 'award', points: 1 })
  await award(...Array.from({ length: 1_001 }, (_, n) => ({ address: `member${n}` })))
  await set({ kind: 'award', points: 2 })
  const running = {
    ...clock,
    now() {
      clock.advance(10 * SECOND)
      return clock.now()
    },
  }
  const [before] = await database.query('SELECT version FROM space_versions WHERE space_id = $1', [space])
  await database.kysely.transaction().execute((trx) =>
    replayRules({ ...deps, clock: running }, trx, space, {
      maxEvents: 10_000,
      author: BY_COMMAND,
      since: new Date(0),
    }),
  )
  const recorded = await database.query(
    `SELECT v.version - $2 AS made, t.version = v.version AS last, NOT EXISTS (
       SELECT FROM ledger_entries WHERE space_id = $1 AND entered_at > t.recorded_at) AS complete
     FROM space_version_times t JOIN space_versions v USING (space_id) WHERE space_id = $1 AND t.version > $2`,
    [space, before?.version],
  )
  expect(recorded).toEqual([{ made: 2, last: true, complete: true }])
})
