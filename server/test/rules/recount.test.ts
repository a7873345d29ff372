import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { recount, type RecountedMember } from '../../src/rules/recount.ts'
import { readRules } from '../../src/rules/rule-sets.ts'
import { startService } from '../support/service.ts'
import { rulesFixture } from './arrange.ts'

const service = await startService()
afterAll(() => service.stop())
const { database } = service
const fixture = rulesFixture(service)
const { quest, award, claim, set, count, entries } = fixture
let spaceId = 0
beforeEach(async () => {
  spaceId = await fixture.newSpace()
})

const document = (...rules: object[]) =>
  readRules({ rules: rules.map((rule, i) => ({ id: `r${i}`, description: 'A rule', ...rule })) })

/** The batches of a recount, and its result. */
async function batches(rules: ReturnType<typeof document>, members: number, rows = 1_000_000, maxEvents = Infinity) {
  const seen: RecountedMember[][] = []
  const result = await database.kysely
    .transaction()
    .execute((trx) =>
      recount(
        trx,
        { spaceId, rules, since: new Date(0), maxEvents, batch: { members, rows } },
        async (batch) => void seen.push(batch),
      ),
    )
  return { seen, result }
}

const names = Array.from({ length: 95 }, (_, i) => `member-${String(i).padStart(2, '0')}`)

describe('a recount', () => {
  it('keeps at most one batch of members', async () => {
    await award(...names.map((address) => ({ address })), ...names.map((address) => ({ address })))
    const { seen, result } = await batches(document({ kind: 'award', points: 2 }), 10)
    expect(seen.map((batch) => batch.length)).toEqual([...Array.from({ length: 9 }, () => 10), 5])
    expect(seen.flat().map(({ address }) => address)).toEqual(names)
    expect(seen.flat().every(({ given }) => given.length === 2)).toBe(true)
    expect(result).toMatchObject({ events: 190, members: 95, rules: new Map([['r0', { before: 0, after: 380 }]]) })
  })

  it('ends a batch early if its members have many events, and never divides a member', async () => {
    await award(...['ann', 'ann', 'ann', 'bob', 'cat'].map((address) => ({ address })))
    const { seen } = await batches(document({ kind: 'award', points: 2 }), 10, 2)
    expect(seen.map((batch) => batch.map(({ address, given }) => [address, given.length]))).toEqual([
      [['ann', 3]],
      [
        ['bob', 1],
        ['cat', 1],
      ],
    ])
  })

  it('keeps the 100 largest differences, and counts all', async () => {
    const many = Array.from({ length: 130 }, (_, i) => ({ address: `m${String(i).padStart(3, '0')}`, points: i + 1 }))
    await award(...many)
    const window = { from: '2020-01-01T00:00:00Z', until: '2040-01-01T00:00:00Z' }
    const { result } = await batches(document({ kind: 'multiplier', on: 'award', factor: 2, ...window }), 7)
    expect([result.members, result.largest.length]).toEqual([130, 100])
    expect([result.largest[0], result.largest[99]]).toMatchObject([
      { address: 'm129', difference: 130 },
      { address: 'm030', difference: 31 },
    ])
  })

  it.each([
    ['awards', [{ kind: 'award', points: 1 }], 3],
    ['claims', [{ kind: 'claim', points: 1 }], 3],
    ['claims of members and of those that they referred', [{ kind: 'referral', points: 1, claims: 'all' }], 6],
    ['points of rules of one member', [], 2],
  ])('counts %s up to a limit, and not one more', async (_, rules, found) => {
    const id = `GCl${spaceId}`
    await quest(id)
    await database.query(
      `INSERT INTO referrals (space_id, address, referrer, recorded_at)
       SELECT $1, unnest($2::text[]), 'zoe', to_timestamp(0)`,
      [spaceId, ['ann', 'bob', 'cid']],
    )
    await set({ kind: 'award', points: 4 })
    await claim(id, 'ann', 'bob', 'cid')
    await award({ address: 'ann' }, { address: 'ann' }, { address: 'bob' })
    await count()
    const limited = (most: number) => batches(document(...rules), 1, 1, most)
    await expect(limited(found - 1)).rejects.toMatchObject({ status: 409, code: 'too_many_events' })
    await limited(found)
  })

  it.each([1, 2, 1_000])('finds the same with %i members in a batch', async (members) => {
    const id = `GCr${spaceId}`
    await quest(id)
    const referral = (address: string, referrer: string) =>
      database.query(
        'INSERT INTO referrals (space_id, address, referrer, recorded_at) VALUES ($1, $2, $3, to_timestamp(0))',
        [spaceId, address, referrer],
      )
    await referral('bob', 'ann')
    await referral('zoe', 'ann')
    await referral('ann', '𝒶')
    await set({ kind: 'claim', points: 5 }, { kind: 'award', points: 4 })
    await claim(id, 'ann', 'bob', 'zoe', 'ﬀ', '𝒶')
    await award({ address: 'bob' }, { address: 'gone' })
    await count()
    expect(await entries('address')).toHaveLength(7)
    const { result } = await batches(
      document(
        { kind: 'claim', points: 5 },
        { kind: 'referral', points: 3, claims: 'all' },
        { kind: 'claim', points: 9, cap: { points: 10, per: 'ever' } },
      ),
      members,
    )
    const differences = Object.fromEntries(result.largest.map(({ address, difference }) => [address, difference]))
    expect(differences).toEqual({ ann: 9 + 2 * 3, bob: 9 - 4, zoe: 9, ﬀ: 9, '𝒶': 9 + 3, gone: -4 })
    // The document has no rule r1 about awards, so r1 lost those points and got those of the referrals.
    expect(result.rules.get('r1')).toEqual({ before: 8, after: 9 })
    expect(result.events).toBe(5 + 3)
  })
})
