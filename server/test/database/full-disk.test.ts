import { randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Client } from 'pg'
import { ingestToken, type Sent, send } from '../ingest-api/arrange.ts'
import { ask, firstError } from '../support/ask.ts'
import { startWorld } from '../support/fixture.ts'
import { tokenWithLimits } from '../support/personas.ts'
import { giveTo, smallDisk } from '../support/small-disk.ts'

const world = await startWorld()
const { connection } = world.database
const local = connection.host?.startsWith('/') ?? false
const disk = local ? await smallDisk(8) : 'the server of TEST_DATABASE_URL may be on another machine'
const reason = typeof disk === 'string' ? disk : undefined
const tablespace = `small_${randomBytes(4).toString('hex')}`
let writer: string

beforeAll(async () => {
  writer = await ingestToken(world)
  if (typeof disk === 'string') return
  const location = join(disk.folder, 'tables')
  await mkdir(location)
  for (const folder of [disk.folder, location]) await giveTo(folder, connection.host ?? '')
  await world.database.query(`CREATE TABLESPACE ${tablespace} LOCATION '${location}'`)
  for (const table of ['ledger_entries', 'board_entries', 'quota_windows'])
    await world.database.query(`ALTER TABLE ${table} SET TABLESPACE ${tablespace}`)
})
afterAll(async () => {
  await world.stop()
  if (typeof disk === 'string') return
  const client = new Client({ ...connection, database: 'postgres' })
  await client.connect()
  await client.query(`DROP TABLESPACE ${tablespace}`)
  await client.end()
  await disk.remove()
})

const MEMBERS = 200
let batch = 0
/** Points for new members, whose rows need space. */
const awards = (number: number) =>
  Array.from({ length: MEMBERS }, (_, n) => ({
    key: `${number}-${n}`,
    spaceId: 42,
    address: `m-${number}-${n}`,
    points: 1,
  }))
const award = (number: number): Promise<Sent> => send(world, 'awards', awards(number), { token: writer })
const stored = async () =>
  (
    await world.database.query<{ members: number; points: number }>(
      `SELECT count(*)::int AS members, sum(points)::int AS points FROM board_entries WHERE space_id = 42 AND sprint_id = 0`,
    )
  )[0]

test.skipIf(reason)(
  `responds with 503 to writes on a full disk, serves reads, keeps acknowledged writes, and recovers when space is free${reason ? ` (left out: ${reason})` : ''}`,
  async () => {
    if (typeof disk === 'string') return
    expect((await award(batch++)).status).toBe(200)
    const { token } = await tokenWithLimits(world.deps, { perSecond: 1_000, perDay: 1_000 })
    await disk.fill()
    // The last pages of the tables have room for a few more rows.
    let refused: Sent
    for (;;) {
      refused = await award(batch)
      if (refused.status !== 200) break
      batch++
      expect(batch).toBeLessThan(20)
    }
    const acknowledged = batch
    expect([refused.status, refused.headers.get('retry-after'), refused.body.error.code]).toEqual([
      503,
      '1',
      'UNAVAILABLE',
    ])
    expect((await award(batch)).status).toBe(503)
    const board = '{ space(id: 42) { name loyaltyPointsRanks { totalCount list { points } } } }'
    expect(await world.ask(board)).toMatchObject({
      status: 200,
      errors: undefined,
      data: { space: { loyaltyPointsRanks: { totalCount: acknowledged * MEMBERS } } },
    })
    expect((await world.ask('{ quests(input: { first: 2 }) { totalCount } }')).status).toBe(200)
    expect((await fetch(`${world.url}/readyz`)).status).toBe(200)
    // A query whose quota cannot be counted fails.
    const counted = () => ask(world.url, '{ __typename }', { token })
    expect(firstError(await counted())).toMatch(/^UNAVAILABLE 503/)
    expect(await stored()).toEqual({ members: acknowledged * MEMBERS, points: acknowledged * MEMBERS })

    await disk.free()
    expect((await counted()).status).toBe(200)
    expect((await award(batch)).body.results.every(({ status }) => status === 'applied')).toBe(true)
    expect((await award(batch)).body.results.every(({ status }) => status === 'duplicate')).toBe(true)
    const total = (acknowledged + 1) * MEMBERS
    expect(await stored()).toEqual({ members: total, points: total })
    expect(firstError(await world.ask(board))).toBe('no error')
  },
)
