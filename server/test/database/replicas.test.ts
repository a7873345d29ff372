import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadConfig } from '../../src/config.ts'
import { examineReplicas } from '../../src/doctor/replicas.ts'
import { ask } from '../support/ask.ts'
import { giveAwards } from '../support/awards.ts'
import { PAGE, readAll, type RanksPage } from '../support/boards.ts'
import type { TestDatabase } from '../support/database.ts'
import { createPersonas } from '../support/personas.ts'
import { databaseAt } from '../support/postgres-tools.ts'
import { startService, type TestService } from '../support/service.ts'
import { type Pair, startPair } from './streaming.ts'

let pair: Pair
let database: TestDatabase
/**
 * Instances on one primary: one reads from the replica and waits for it for a long time, one waits
 * as long as in production, one reads only from the primary.
 */
let withReplica: TestService
let hasty: TestService
let without: TestService
let token: string

const address = (index: number) => `0x${index.toString(16).padStart(40, '0')}`

beforeAll(async () => {
  pair = await startPair()
  database = await databaseAt(pair.primaryUrl)
  without = await startService({ database })
  const reading = { database, clock: without.clock, settings: { DATABASE_READ_URLS: pair.replicaUrl } }
  withReplica = await startService({ ...reading, replicaWait: 30_000 })
  hasty = await startService(reading)
  token = (await createPersonas(without.deps)).business
  await database.query(`INSERT INTO spaces (space_id, name, created_at) VALUES (7, 'Space', now())`)
  await award(...Array.from({ length: 130 }, (_, index) => [index, 1_000 - index] as const))
  await replicaIs('in use')
})
afterAll(async () => {
  await withReplica?.stop()
  await hasty?.stop()
  await without?.stop()
  await database?.close()
  await pair?.stop()
})

const award = (...members: (readonly [index: number, points: number])[]) =>
  database.kysely.transaction().execute((trx) =>
    giveAwards(
      trx,
      members.map(([index, points]) => ({ spaceId: 7, address: address(index), points })),
      without.clock,
    ),
  )

/** A repeated query may come from a cache, so each query is new. */
let questions = 0

async function page(service: TestService, cursor: string | null = null): Promise<RanksPage> {
  const query = `query Question${questions++}($after: String) { space(id: 7) { loyaltyPointsRanks(cursorAfter: $after) { ${PAGE} } } }`
  const { data, errors } = await ask<{ space: { loyaltyPointsRanks: RanksPage } }>(service.url, query, {
    token,
    variables: { after: cursor },
  })
  expect(errors).toBeUndefined()
  return data.space.loyaltyPointsRanks
}

const pointsOf = ({ list }: RanksPage, index: number) =>
  list.find((rank) => rank.address.address === address(index))?.points

const state = (service = withReplica) => service.app.replicas.states()[0]!
async function replicaIs(wanted: 'in use' | 'left out', service = withReplica): Promise<void> {
  while (state(service).inUse !== (wanted === 'in use')) {
    if (wanted === 'left out') await page(service)
    await sleep(20)
  }
}

test('serves the reads of queries from the replica', async () => {
  const before = state().answered
  const traversal = await readAll((cursor) => page(withReplica, cursor))
  expect(traversal.flatMap(({ list }) => list)).toHaveLength(130)
  expect(state().answered).toBeGreaterThanOrEqual(before + 3)
})

test('returns recent writes in the next read from any instance', async () => {
  const { answered } = state()
  for (let points = 1; points <= 60; points++) {
    await award([0, 1])
    const service = points % 3 === 0 ? without : withReplica
    expect(pointsOf(await page(service), 0)).toBe(1_000 + points)
  }
  expect(state().answered).toBeGreaterThan(answered)
})

test('excludes a lagging replica, and continues cursors', async () => {
  await replicaIs('in use', hasty)
  await pair.onReplica('SELECT pg_wal_replay_pause()')
  await award([1, 5_000])
  const first = await page(without)
  expect(pointsOf(first, 1)).toBe(5_999)
  // The replica would never reach the position.
  const second = await page(hasty, first.pageInfo.endCursor)
  const third = await page(hasty, second.pageInfo.endCursor)
  expect([first, second, third].flatMap(({ list }) => list.map(({ address }) => address.address)).toSorted()).toEqual(
    Array.from({ length: 130 }, (_, index) => address(index)).toSorted(),
  )
  expect(pointsOf(await page(hasty), 1)).toBe(5_999)
  expect(state(hasty).inUse).toBe(false)
})

test('uses the replica again when it has caught up', async () => {
  await pair.onReplica('SELECT pg_wal_replay_resume()')
  await replicaIs('in use', hasty)
  const { answered } = state(hasty)
  // On a busy machine it may be excluded again for a moment.
  do expect(pointsOf(await page(hasty), 1)).toBe(5_999)
  while (state(hasty).answered === answered)
})

test('fails no request when a replica stops, and uses the replica again when it returns', async () => {
  let asking = true
  let answered = 0
  const answers = (async () => {
    while (asking) {
      await award([2, 1])
      expect(pointsOf(await page(withReplica), 2)).toBe(998 + ++answered)
      await sleep(5)
    }
  })()
  const answerMore = async () => {
    const before = answered
    await expect.poll(() => answered).toBeGreaterThan(before + 1)
  }
  await pair.killReplica()
  await answerMore()
  await replicaIs('left out')
  await pair.startReplica()
  await answerMore()
  await replicaIs('in use')
  await answerMore()
  asking = false
  await answers
})

test('reports the state of each replica in doctor', async () => {
  const DATABASE_READ_URLS = [pair.replicaUrl, pair.primaryUrl, 'postgres://localhost:1/none'].join(',')
  const config = loadConfig({ DATABASE_URL: pair.primaryUrl, DATABASE_READ_URLS })
  const found = await examineReplicas(config, { connectionString: pair.primaryUrl }, 2_000)
  expect(found.map(({ state, says }) => ({ state, says: says.split(/[;:]/)[0] }))).toEqual([
    { state: 'ok', says: 'follows its primary' },
    { state: 'problem', says: 'the server is not a replica, so it gets no reads' },
    { state: 'note', says: expect.stringContaining('ECONNREFUSED') as string },
  ])
})

test('does not use a server that is not a standby', async () => {
  const other = await startService({ database, settings: { DATABASE_READ_URLS: pair.primaryUrl } })
  await sleep(100)
  expect(other.app.replicas.states()[0]?.inUse).toBe(false)
  expect((await page(other)).totalCount).toBe(130)
  await other.stop()
})
