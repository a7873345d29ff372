import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { DAY, HOUR } from '../../src/clock.ts'
import { importRecords } from '../../src/ingest/import-records.ts'
import { deleteObject } from '../../src/objects/objects.ts'
import { eraseAddress } from '../../src/personal-data/erase-address.ts'
import { exportPerson } from '../../src/personal-data/export-person.ts'
import { readGiftKey } from '../../src/rules/gift-keys.ts'
import { BY_COMMAND, readRules, setRules } from '../../src/rules/rule-sets.ts'
import { bansFixture } from '../bans/arrange.ts'
import { ingestToken, send } from '../ingest-api/arrange.ts'
import { startService } from '../support/service.ts'
import { rulesFixture } from './arrange.ts'

const service = await startService()
const second = await startService({ database: service.database, clock: service.clock })
afterAll(async () => {
  await second.stop()
  await service.stop()
})
const { database, deps, clock } = service
const fixture = rulesFixture(service)
const { quest, set, award, claim, count, tick, board, entries, verified } = fixture
const other = rulesFixture(second)
const token = await ingestToken(service)
let space = 0
beforeEach(async () => {
  space = await fixture.newSpace()
})

const pending = () => database.query('SELECT ref FROM rule_events WHERE space_id = $1', [space])

describe('a rule about claims', () => {
  it('gives its points once for each claim, with its id and version in the ledger', async () => {
    await quest(`GCa${space}`)
    await set({ kind: 'claim', points: 7 })
    await claim(`GCa${space}`, 'ann', 'bob')
    expect(await board()).toEqual({ ann: 50, bob: 50 })
    await count()
    expect(await board()).toEqual({ ann: 57, bob: 57 })
    const given = await entries('key, reason, points_before, points_after, sprint_id')
    expect(given).toMatchObject([
      { reason: 'A rule', points_before: 50, points_after: 57 },
      { reason: 'A rule', points_before: 50, points_after: 57 },
    ])
    const [claimed] = await database.query<{ claim_id: string }>(
      'SELECT claim_id FROM quest_claims WHERE quest_id = $1',
      [`GCa${space}`],
    )
    expect(given.map(({ key }) => readGiftKey(String(key)))).toContainEqual({
      ruleId: 'r0',
      version: 1,
      ref: claimed?.claim_id,
      replay: undefined,
    })
    await count()
    expect(await board()).toEqual({ ann: 57, bob: 57 })
    expect(await claim(`GCa${space}`, 'ann')).toEqual(['refused'])
    await count()
    expect(await board()).toEqual({ ann: 57, bob: 57 })
    expect(await verified()).toEqual([])
    expect(await pending()).toEqual([])
  })

  it('counts claims of quests without points, and only those of its quests', async () => {
    await quest(`GCb${space}`, { loyaltyPoints: 0 })
    await quest(`GCc${space}`, { loyaltyPoints: 0 })
    await set({ kind: 'claim', points: 7, quests: [`GCb${space}`] })
    await claim(`GCb${space}`, 'ann')
    await claim(`GCc${space}`, 'ann')
    await count()
    expect(await board()).toEqual({ ann: 7 })
  })

  it('adds the points to the sprint of the time of the claim', async () => {
    const at = (hours: number) => new Date(clock.now() + hours * HOUR).toISOString()
    await importRecords(deps, 'sprints', [
      { spaceId: space, sprintId: 1, startTime: at(-1), endTime: at(1) },
      { spaceId: space, sprintId: 2, startTime: at(1) },
    ])
    await quest(`GCd${space}`, { loyaltyPoints: 0 })
    await set({ kind: 'claim', points: 7 }, { kind: 'claim', points: 1, sprint: false })
    await claim(`GCd${space}`, 'ann')
    clock.advance(2 * HOUR)
    await count()
    expect([await board(), await board(1), await board(2)]).toEqual([{ ann: 8 }, { ann: 7 }, {}])
  })
})

describe('a rule about awards', () => {
  it('counts positive awards of the API, of files and at their availability, and no other changes', async () => {
    await set({ kind: 'award', points: 1 })
    await award({ points: 5 }, { points: -2 }, { points: 3, availableAt: new Date(clock.now() + HOUR) })
    await importRecords(deps, 'awards', [{ key: 'file', spaceId: space, address: 'ann', points: 4 }])
    await importRecords(deps, 'points', [{ spaceId: space, address: 'bob', points: 100 }])
    await count()
    expect(await entries('address')).toEqual([{ address: 'ann' }, { address: 'ann' }])
    expect(await board()).toEqual({ ann: 9, bob: 100 })
    await count()
    expect(await board()).toEqual({ ann: 9, bob: 100 })
  })

  it('counts each award once over two instances that run the job at the same time', async () => {
    await set({ kind: 'award', points: 1, cap: { points: 30, per: 'day' } })
    const items = Array.from({ length: 40 }, (_, i) => ({ key: `a${i}`, spaceId: space, address: 'ann', points: 1 }))
    await Promise.all([
      ...items.map((item, i) => send(i % 2 ? service : second, 'awards', [item, item], { token })),
      ...Array.from({ length: 6 }, (_, i) => (i % 2 ? count() : other.count())),
    ])
    await expect.poll(() => count().then(pending)).toEqual([])
    expect(await board()).toEqual({ ann: 70 })
    expect((await entries('key')).length).toBe(30)
    expect(await verified()).toEqual([])
  })

  it('keeps points within their range', async () => {
    await importRecords(deps, 'points', [{ spaceId: space, address: 'ann', points: 2_147_483_640 }])
    await set({ kind: 'award', points: 10 })
    await award({ points: 5 }, { address: 'bob' })
    await count()
    expect(await board()).toEqual({ ann: 2_147_483_645, bob: 15 })
    expect(await pending()).toEqual([])
  })

  it('keeps the points of banned members until the ban ends', async () => {
    const { ban, lift } = bansFixture(service)
    await set({ kind: 'award', points: 1 })
    const { id } = await ban({ address: 'ann' }, { spaceId: space })
    await award({ points: 5 })
    await count()
    expect(await board()).toEqual({})
    await lift(id)
    expect(await board()).toEqual({ ann: 6 })
  })
})

describe('several rules', () => {
  it('count the event, and not the points of each other', async () => {
    const window = { from: new Date(clock.now()).toISOString(), until: new Date(clock.now() + DAY).toISOString() }
    await set(
      { kind: 'multiplier', on: 'award', factor: 3, ...window },
      { kind: 'award', points: 1 },
      { kind: 'multiplier', on: 'award', factor: 2, ...window },
    )
    await award({ points: 10 })
    for (let i = 0; i < 3; i++) await count()
    expect(await board()).toEqual({ ann: 10 + 20 + 1 + 10 })
  })

  it('remember streaks and caps between events', async () => {
    await set(
      { kind: 'streak', on: 'award', days: 3, points: 100 },
      { kind: 'award', points: 4, cap: { points: 6, per: 'week' } },
    )
    clock.advance(7 * DAY - (clock.now() % DAY) + HOUR)
    for (let day = 0; day < 3; day++) {
      await award({ points: 1 })
      await count()
      clock.advance(DAY)
    }
    const given = await entries('points_after - points_before AS points')
    expect(given.reduce((sum, { points }) => sum + Number(points), 0)).toBeGreaterThanOrEqual(106)
    expect(given.filter(({ points }) => points === 100)).toHaveLength(1)
  })
})

describe('a new version', () => {
  it('counts events from then on, and the version before counts the earlier ones', async () => {
    await award({ address: 'early' })
    await set({ kind: 'award', points: 1 })
    await award({ address: 'ann' })
    await set({ kind: 'award', points: 10 })
    await award({ address: 'bob' })
    await count()
    expect(await board()).toEqual({ ann: 6, bob: 15, early: 5 })
    const keys = (await entries('key')).map(({ key }) => readGiftKey(String(key))?.version)
    expect(keys).toEqual([1, 2])
    await set()
    await award({ address: 'bob' })
    await count()
    expect(await board()).toMatchObject({ bob: 20 })
  })

  it('does not exist for equal rules', async () => {
    expect((await set({ kind: 'award', points: 1 })).version).toBe(1)
    expect((await set({ kind: 'award', points: 1 })).version).toBe(1)
    expect((await set({ kind: 'award', points: 2 })).version).toBe(2)
    expect((await set({ kind: 'award', points: 1 })).version).toBe(3)
  })

  it('forgets the caps and streaks of a removed rule', async () => {
    const capped = { kind: 'award', points: 4, cap: { points: 4, per: 'ever' } }
    await set(capped)
    await award({}, {})
    await count()
    expect(await board()).toEqual({ ann: 14 })
    await set()
    await set(capped)
    await award({})
    await count()
    expect(await board()).toEqual({ ann: 23 })
  })

  it('needs an existing space, its quests, and existing credentials', async () => {
    const store = (rules: object[], more: object = {}, spaceId = space) =>
      database.kysely
        .transaction()
        .execute((trx) => setRules(deps, trx, spaceId, readRules({ rules }), { author: BY_COMMAND, ...more }))
    const one = { id: 'a', description: 'A', points: 1 }
    await expect(store([], {}, 99_999)).rejects.toThrow('Space not found')
    await expect(store([{ ...one, kind: 'claim', quests: ['GCnone'] }])).rejects.toThrow(
      `rules.0.quests.0 is no quest of space ${space}`,
    )
    await expect(store([{ ...one, kind: 'holder', credential: '424242' }])).rejects.toThrow(
      'rules.0.credential is no credential',
    )
    await expect(store([{ ...one, kind: 'daily', holdersOf: '424242' }])).rejects.toThrow(
      'rules.0.holdersOf is no credential',
    )
    await expect(store([], { expected: 3 })).rejects.toThrow(`The rules of space ${space} have version 0, not 3`)
    expect(await database.query('SELECT FROM rule_sets WHERE space_id = $1', [space])).toEqual([])
  })
})

describe('what rules remember', () => {
  it('is in the export of a person, and disappears with the person and with the space', async () => {
    await importRecords(deps, 'credentials', [
      { id: String(space), name: 'Pass', credType: 'DISCORD', credSource: 'CSV' },
    ])
    await importRecords(deps, 'holders', [{ credentialId: String(space), address: 'ann' }])
    await set(
      { kind: 'award', points: 1, cap: { points: 9, per: 'ever' } },
      { kind: 'holder', credential: String(space), points: 1, existing: true },
    )
    await award({})
    await count()
    await tick()
    await award({})
    await database.query(
      `INSERT INTO referrals (space_id, address, referrer, recorded_at) VALUES ($1, 'ann', 'bob', now()), ($1, 'cid', 'ann', now())`,
      [space],
    )
    const found = await exportPerson(database.kysely, { address: 'ann' }, clock.now(), { issuer: 'http://localhost' })
    expect(Object.keys(found?.underAddresses ?? {})).toEqual(
      expect.arrayContaining(['rule_states', 'rule_events', 'rule_holders', 'referrals']),
    )
    const own = found?.underAddresses.referrals?.filter((row) => (row as { space_id: number }).space_id === space)
    expect(own).toHaveLength(2)
    await eraseAddress(deps, 'ann')
    const left = async () =>
      (
        await Promise.all(
          ['rule_states', 'rule_events', 'rule_holders', 'referrals'].map((table) =>
            database.query(`SELECT FROM ${table} WHERE space_id = $1`, [space]),
          ),
        )
      ).map(({ length }) => length)
    expect(await left()).toEqual([0, 0, 0, 0])
    expect(await verified()).toEqual([])
    await award({})
    await deleteObject(deps, 'space', String(space), { note: async () => {} })
    expect(await left()).toEqual([0, 0, 0, 0])
    const tables = ['rule_sets', 'space_rules', 'rule_runs']
    for (const table of tables)
      expect(await database.query(`SELECT FROM ${table} WHERE space_id = $1`, [space]), table).toEqual([])
  })
})
