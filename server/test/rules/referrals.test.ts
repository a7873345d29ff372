import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { ingestToken, send } from '../ingest-api/arrange.ts'
import { startService } from '../support/service.ts'
import { rulesFixture } from './arrange.ts'

const service = await startService()
afterAll(() => service.stop())
const { database, deps } = service
const fixture = rulesFixture(service)
const { quest, set, claim, count, board } = fixture
const token = await ingestToken(service)
let space = 0
beforeEach(async () => {
  space = await fixture.newSpace()
})

describe('a referral', () => {
  const refer = async (...items: object[]) => {
    const body = items.map((item) => ({ spaceId: space, ...item }))
    const { body: answer } = await send(service, 'referrals', body, { token })
    return answer.results.map(({ status, error }) => (status === 'refused' ? (error?.message ?? '') : status))
  }

  it('gives its rule points for the first claim of the referred member', async () => {
    await quest(`GCr${space}`)
    await quest(`GCs${space}`)
    await set({ kind: 'referral', points: 20, percent: 10 })
    expect(await refer({ address: 'bob', referrer: 'ann' })).toEqual(['applied'])
    await claim(`GCr${space}`, 'bob', 'cid')
    await claim(`GCs${space}`, 'bob')
    await count()
    expect(await board()).toEqual({ ann: 25, bob: 100, cid: 50 })
  })

  it('counts once, before the first claim, for another person, and not in both directions', async () => {
    await quest(`GCt${space}`, { loyaltyPoints: 0 })
    await claim(`GCt${space}`, 'dan')
    const account = deps.random.uuid()
    const [one, another] = [1, 2].map((n) => `0x${String(n).repeat(40)}`)
    await database.query(`INSERT INTO accounts (account_id, name, created_at) VALUES ($1::uuid, $1::text, now())`, [
      account,
    ])
    for (const address of [one, another]) {
      await database.query(`DELETE FROM identity_subjects WHERE subject = $1`, [address])
      await database.query(`INSERT INTO identity_subjects (subject, kind, account_id) VALUES ($1, 'EVMAddress', $2)`, [
        address,
        account,
      ])
      await database.query(
        `INSERT INTO identities (account_id, kind, subject, linked_at) VALUES ($2, 'EVMAddress', $1, now())`,
        [address, account],
      )
    }
    expect(
      await refer(
        { address: 'bob', referrer: 'ann' },
        { address: 'bob', referrer: 'ann' },
        { address: 'bob', referrer: 'cid' },
        { address: 'ann', referrer: 'bob' },
        { address: 'ann', referrer: '@Ann' },
        { address: one, referrer: another },
        { address: 'dan', referrer: 'ann' },
        { address: 'cid' },
        { address: 'cid', referrer: 'ann', spaceId: 99_999 },
      ),
    ).toEqual([
      'applied',
      'duplicate',
      'address: already has a referrer',
      'referrer: was referred by the address',
      'referrer: must be another person than the address',
      'referrer: must be another person than the address',
      'address: has already claimed a quest of the space',
      expect.stringContaining('referrer'),
      'spaceId: 99999 is not a known space; create it first',
    ])
    const narrow = await ingestToken(service, { spaces: [41] })
    const { body } = await send(service, 'referrals', [{ spaceId: space, address: 'eve', referrer: 'ann' }], {
      token: narrow,
    })
    expect(body.results[0]?.error).toMatchObject({ code: 'PERMISSION_DENIED', field: 'spaceId' })
  })

  it('of two members at the same time that refer each other gives one record', async () => {
    const results = await Promise.all([
      refer({ address: 'ann', referrer: 'bob' }),
      refer({ address: 'bob', referrer: 'ann' }),
    ])
    expect(results.flat().toSorted()).toEqual(['applied', 'referrer: was referred by the address'])
  })
})
