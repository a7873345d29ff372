import { setTimeout as sleep } from 'node:timers/promises'
import { from } from 'pg-copy-streams'
import { afterAll, expect, test, vi } from 'vitest'
import { isUnreachable, openDatabase } from '../../../src/database/connection.ts'
import { silentLog } from '../../../src/logging/log.ts'
import { createTestDatabase } from '../../support/database.ts'

const LOCK = 11
const SHORT = 500
const LONG = 60_000
/** The upload takes longer. */
const [UPLOAD_LIMIT, ROUNDS] = [2_000, 30]
const PATIENCE = { timeout: 20_000, interval: 50 }

const world = await createTestDatabase()
const database = openDatabase({ connection: world.connection, readConnections: 1, log: silentLog })
const holder = await world.pool.connect()
await holder.query(`SELECT pg_advisory_lock(${LOCK})`)
afterAll(async () => {
  await holder.query('SELECT pg_advisory_unlock_all()')
  holder.release()
  await database.close()
  await world.drop()
})

const startWaiting = () =>
  database.pool.query(`SELECT pg_advisory_xact_lock(${LOCK})`).then(
    () => undefined,
    (error: unknown) => error,
  )
const endWaiting = (milliseconds: number, most: number) => database.endWaiting(milliseconds, most, 'a node hangs')

test('closes at most as many connections as it is told, and their statements fail as unreachable', async () => {
  const waiting = [startWaiting(), startWaiting()]
  await vi.waitFor(() => expect(endWaiting(SHORT, 1)).toBe(1), PATIENCE)
  const first = await Promise.race(waiting)
  expect(isUnreachable(first)).toBe(true)
  await vi.waitFor(() => expect(endWaiting(SHORT, 2)).toBe(1), PATIENCE)
  expect((await Promise.all(waiting)).every(isUnreachable)).toBe(true)
})

test('keeps connections that have not waited for so long', async () => {
  const waiting = startWaiting()
  await sleep(SHORT)
  expect(endWaiting(LONG, 1)).toBe(0)
  await vi.waitFor(() => expect(endWaiting(SHORT, 1)).toBe(1), PATIENCE)
  expect(isUnreachable(await waiting)).toBe(true)
})

test('keeps the connection of an upload that sends data, though the server is silent meanwhile', async () => {
  const client = await database.pool.connect()
  await client.query('CREATE TEMPORARY TABLE uploaded (line text)')
  const copy = client.query(from('COPY uploaded FROM STDIN'))
  const ended = new Promise((resolve, reject) => copy.on('finish', resolve).on('error', reject))
  for (let round = 0; round < ROUNDS; round++) {
    copy.write(`${round}\n`)
    await sleep(UPLOAD_LIMIT / 20)
    expect(endWaiting(UPLOAD_LIMIT, 1)).toBe(0)
  }
  copy.end()
  await ended
  expect((await client.query('SELECT count(*)::int AS lines FROM uploaded')).rows).toEqual([{ lines: ROUNDS }])
  client.release()
})
