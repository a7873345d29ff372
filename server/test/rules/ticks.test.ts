import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { DAY, HOUR } from '../../src/clock.ts'
import { importRecords } from '../../src/ingest/import-records.ts'
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
const { set, tick, board, entries, verified } = fixture
const other = rulesFixture(second)
let space = 0
beforeEach(async () => {
  space = await fixture.newSpace()
})

describe('a daily rule', () => {
  it('gives the points of each UTC day once, from the day after it was set', async () => {
    await importRecords(
      deps,
      'points',
      Array.from({ length: 1_500 }, (_, i) => ({ spaceId: space, address: `m${i}`, points: i })),
    )
    await set({ kind: 'daily', minPoints: 1_400, points: 1 })
    await tick()
    expect(await entries('address')).toEqual([])
    clock.advance(DAY)
    await tick()
    await tick()
    expect(await entries('address')).toHaveLength(100)
    expect(await board()).toMatchObject({ m1399: 1_399, m1400: 1_401 })
    clock.advance(DAY)
    await Promise.all([tick(), other.tick()])
    expect(await entries('address')).toHaveLength(200)
    expect(await verified()).toEqual([])
  })

  it('waits until the list of its holders is complete', async () => {
    const credential = { id: String(space), name: 'Pass', credType: 'EVM_ADDRESS', credSource: 'CSV' } as const
    await importRecords(deps, 'credentials', [{ ...credential, syncStatus: 'SYNCING' }])
    await set({ kind: 'daily', holdersOf: String(space), points: 3 })
    await tick()
    const holder = `0x${'1'.repeat(40)}`
    await database.query(
      `INSERT INTO credential_holders (credential_id, generation, address)
       SELECT credential_id, generation, $2 FROM credentials WHERE credential_id = $1`,
      [space, holder],
    )
    clock.advance(DAY)
    await tick()
    expect(await board()).toEqual({})
    await database.query(`UPDATE credentials SET sync_status = 'SYNCED' WHERE credential_id = $1`, [space])
    await tick()
    expect(await board()).toEqual({ [holder]: 3 })
  })
})

describe('a rule about holders', () => {
  const holder = (n: number) => `0x${n.toString(16).padStart(40, '0')}`
  const hold = (...addresses: string[]) =>
    importRecords(
      deps,
      'holders',
      addresses.map((address) => ({ credentialId: String(space), address })),
    )
  beforeEach(async () => {
    await importRecords(deps, 'credentials', [
      { id: String(space), name: 'Pass', credType: 'EVM_ADDRESS', credSource: 'CSV' },
    ])
    await hold(holder(1), holder(2))
    clock.advance(HOUR)
  })

  it('gives each new holder the points once, also when it is removed and added again', async () => {
    await set({ kind: 'holder', credential: String(space), points: 5 })
    await tick()
    expect(await board()).toEqual({})
    await hold(holder(2), holder(3))
    clock.advance(HOUR)
    await tick()
    expect(await board()).toEqual({ [holder(3)]: 5 })
    await database.query('DELETE FROM credential_holders WHERE credential_id = $1 AND address = $2', [space, holder(3)])
    await hold(holder(4))
    clock.advance(HOUR)
    await tick()
    await hold(holder(3))
    clock.advance(HOUR)
    await Promise.all([tick(), other.tick()])
    expect(await board()).toEqual({ [holder(3)]: 5, [holder(4)]: 5 })
  })

  it('gives existing holders the points if it includes them, in several steps', async () => {
    await hold(...Array.from({ length: 1_200 }, (_, i) => holder(i + 10)))
    await set({ kind: 'holder', credential: String(space), points: 5, existing: true })
    await tick()
    expect(Object.keys(await board())).toHaveLength(1_202)
    await tick()
    expect(await entries('address')).toHaveLength(1_202)
  })

  it('starts again with another list, and gives nothing for those who are on it already', async () => {
    await importRecords(deps, 'credentials', [
      { id: String(space + 100_000), name: 'Other', credType: 'EVM_ADDRESS', credSource: 'CSV' },
    ])
    const join = (n: number) =>
      importRecords(deps, 'holders', [{ credentialId: String(space + 100_000), address: holder(n) }])
    await join(7)
    await set({ kind: 'holder', credential: String(space), points: 5 })
    await tick()
    await set({ kind: 'holder', credential: String(space + 100_000), points: 5 })
    await tick()
    expect(await board()).toEqual({})
    clock.advance(HOUR)
    await join(8)
    await tick()
    expect(await board()).toEqual({ [holder(8)]: 5 })
  })

  it('starts again if a rule about days becomes one about the same list', async () => {
    await set({ kind: 'daily', holdersOf: String(space), points: 1 })
    await tick()
    await set({ kind: 'holder', credential: String(space), points: 5 })
    await tick()
    expect(await board()).toEqual({})
  })

  it('gives nothing outside of its window, also later', async () => {
    const from = new Date(clock.now() + DAY).toISOString()
    await set({ kind: 'holder', credential: String(space), points: 5, existing: true, from })
    await tick()
    clock.advance(2 * DAY)
    await hold(holder(9))
    await tick()
    expect(await board()).toEqual({ [holder(9)]: 5 })
  })
})
