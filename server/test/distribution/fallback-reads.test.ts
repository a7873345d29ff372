import type { Reader } from '@questboard/pg-read-pipeline'
import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest'
import { isUnreachable, openDatabase } from '../../src/database/connection.ts'
import { type FallbackOptions, type FallbackReads, openFallbackReads } from '../../src/distribution/fallback-reads.ts'
import { silentLog } from '../../src/logging/log.ts'
import { createTestDatabase } from '../support/database.ts'

const LOCK = 7
const MAX_RUNNING = 12
const LONG = 60_000
const SHORT = 500
const PATIENCE = { timeout: 10_000, interval: 20 }

const database = await createTestDatabase()
const holder = await database.pool.connect()
const opened: FallbackReads[] = []
afterAll(async () => {
  holder.release()
  await database.drop()
})
beforeEach(() => holder.query(`SELECT pg_advisory_lock(${LOCK})`))
afterEach(async () => {
  await holder.query('SELECT pg_advisory_unlock_all()')
  await Promise.all(opened.splice(0).map((reads) => reads.close()))
})

const openWith = (readTimeout = LONG) =>
  openDatabase({ connection: database.connection, readConnections: 1, readTimeout, log: silentLog })
const openReads = (options: Partial<FallbackOptions> = {}): FallbackReads => {
  const reads = openFallbackReads({
    name: 'worker:5432',
    open: () => openWith(),
    timeout: SHORT,
    pause: LONG,
    ...options,
  })
  opened.push(reads)
  return reads
}
const short = (reader: Reader) => reader.read({ name: 'test.short', text: 'SELECT 1 AS one' }, [])
/** Waits for the lock, as a statement of a coordinator waits for a node that hangs. */
const hanging = (reader: Reader) =>
  reader.read({ name: 'test.hanging', text: `SELECT pg_advisory_xact_lock_shared(${LOCK})` }, [])
const unavailable = expect.objectContaining({ code: 'UNAVAILABLE' }) as Error

/** Whether a read was sent. */
async function isSent(reads: FallbackReads): Promise<boolean> {
  const send = vi.fn(short)
  await reads.read(send).catch(() => {})
  return send.mock.calls.length > 0
}

/** Waits until a read waits for the lock. */
const isHanging = () =>
  vi.waitFor(async () => {
    const waiting = `SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = ${LOCK} AND NOT granted`
    expect(await database.query(waiting)).not.toEqual([])
  }, PATIENCE)

/** Ends the connections of a read that takes too long, and of its repetition. */
async function loseConnection(reads: FallbackReads): Promise<void> {
  const ended = vi.fn()
  const error = reads.read((reader) => hanging(reader).finally(ended))
  await Promise.all([expect(error).rejects.toEqual(unavailable), isHanging()])
  await vi.waitFor(async () => {
    await database.query(`SELECT pg_terminate_backend(pid) FROM pg_locks
      WHERE locktype = 'advisory' AND objid = ${LOCK} AND NOT granted`)
    expect(ended).toHaveBeenCalled()
  }, PATIENCE)
}

test('do not start while one takes too long, and start again after it has ended', async () => {
  const reads = openReads()
  expect(reads.coordinatorReachesNode).toBe(false)
  expect(await reads.read(short)).toEqual([{ one: 1 }])
  expect(reads.coordinatorReachesNode).toBe(true)
  await expect(reads.read(hanging)).rejects.toEqual(unavailable)
  expect(reads.coordinatorReachesNode).toBe(false)
  expect(await isSent(reads)).toBe(false)
  await holder.query(`SELECT pg_advisory_unlock(${LOCK})`)
  await vi.waitFor(async () => expect(await isSent(reads)).toBe(true), PATIENCE)
})

test('pause after one that got no response', async () => {
  const reads = openReads()
  await loseConnection(reads)
  expect(await isSent(reads)).toBe(false)
  await holder.query(`SELECT pg_advisory_unlock(${LOCK})`)
  expect(await isSent(reads)).toBe(false)
})

test('pause after one that the coordinator cancelled late, which is no response of the node', async () => {
  const reads = openReads({ open: () => openWith(2 * SHORT) })
  const ended = vi.fn()
  await expect(reads.read((reader) => hanging(reader).finally(ended))).rejects.toEqual(unavailable)
  await vi.waitFor(() => expect(ended).toHaveBeenCalled(), PATIENCE)
  expect(reads.coordinatorReachesNode).toBe(false)
  expect(await isSent(reads)).toBe(false)
})

test('pause once if several get no response together', async () => {
  const opened = openWith()
  const reads = openReads({ open: () => opened, pause: SHORT })
  const ended = vi.fn()
  const lost = Array.from({ length: MAX_RUNNING }, () => reads.read((reader) => hanging(reader).finally(ended)))
  await Promise.all(lost.map((read) => expect(read).rejects.toEqual(unavailable)))
  opened.endWaiting(0, 1, 'the node hangs')
  await vi.waitFor(() => expect(ended).toHaveBeenCalledTimes(MAX_RUNNING), PATIENCE)
  await vi.waitFor(async () => expect(await isSent(reads)).toBe(true), PATIENCE)
})

test('start one at a time after the pause, until one succeeds', async () => {
  const reads = openReads({ pause: SHORT })
  await loseConnection(reads)
  const sent = vi.fn(hanging)
  await vi.waitFor(async () => {
    const [tried, other] = [reads.read(sent), reads.read(sent)]
    await expect(Promise.all([tried, other])).rejects.toEqual(unavailable)
    expect(sent).toHaveBeenCalled()
  }, PATIENCE)
  expect(sent).toHaveBeenCalledTimes(1)
  await holder.query(`SELECT pg_advisory_unlock(${LOCK})`)
  await vi.waitFor(async () => expect(await isSent(reads)).toBe(true), PATIENCE)
  expect(await Promise.all(Array.from({ length: MAX_RUNNING }, () => reads.read(short)))).toHaveLength(MAX_RUNNING)
})

test('start again after a reset', async () => {
  const reads = openReads()
  await loseConnection(reads)
  expect(await isSent(reads)).toBe(false)
  await holder.query(`SELECT pg_advisory_unlock(${LOCK})`)
  reads.reset()
  expect(await isSent(reads)).toBe(true)
})

test('run at most twelve at a time; others wait', async () => {
  const reads = openReads({ timeout: LONG })
  const running = Array.from({ length: MAX_RUNNING }, () => reads.read(hanging))
  const send = vi.fn(short)
  const waiting = reads.read(send)
  await isHanging()
  expect(send).not.toHaveBeenCalled()
  await holder.query(`SELECT pg_advisory_unlock(${LOCK})`)
  await Promise.all(running)
  expect(await waiting).toEqual([{ one: 1 }])
})

test('that wait are refused when one takes too long, and never sent', async () => {
  const reads = openReads()
  const send = vi.fn(short)
  const all = [...Array.from({ length: MAX_RUNNING }, () => reads.read(hanging)), reads.read(send)]
  const ends = await Promise.allSettled(all)
  expect(ends.map(({ status }) => status)).toEqual(Array(MAX_RUNNING + 1).fill('rejected'))
  await holder.query(`SELECT pg_advisory_unlock(${LOCK})`)
  await vi.waitFor(async () => expect(await isSent(reads)).toBe(true), PATIENCE)
  expect(send).not.toHaveBeenCalled()
})

test('end when the service stops', async () => {
  const reads = openReads({ timeout: LONG })
  const running = reads.read(hanging)
  await isHanging()
  const failure = running.catch((error: unknown) => error)
  await reads.close()
  expect(isUnreachable(await failure)).toBe(true)
})
