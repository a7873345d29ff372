import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { openDatabase } from '../../src/database/connection.ts'
import { failedRead, isRefusal, isSilence } from '../../src/distribution/failed-read.ts'
import { silentLog } from '../../src/logging/log.ts'
import { createTestDatabase } from '../support/database.ts'
import { flakyNetwork } from '../support/flaky-network.ts'

const database = await createTestDatabase()
const network = await flakyNetwork(database.connection)
const node = openDatabase({ connection: network.connection, readConnections: 1, readTimeout: 200, log: silentLog })
afterAll(async () => {
  await node.close()
  await network.close()
  await database.drop()
})

/** More than the lifeline needs to close all connections. */
const [ATTEMPTS, PAUSE] = [5, 200]
const SHORT = 100

const failureOf = (text: string) =>
  node.read({ name: `test.${text}`, text }, []).then(
    () => 'none',
    (error: unknown) => failedRead(error),
  )

describe('a failed read at a node', () => {
  test.each([
    ['statement', 'a timeout', 'SELECT pg_sleep(60)'],
    ['statement', 'a value of a wrong type', `SELECT 'one'::int`],
    ['statement', 'an unknown column', 'SELECT nothing FROM boards'],
    ['statement', 'a lock that is not granted', `DO $$ BEGIN RAISE SQLSTATE '55P03'; END $$`],
    ['statement', 'too little memory', `DO $$ BEGIN RAISE SQLSTATE '53200'; END $$`],
    // On the coordinator of a cluster, because the first statement on its workers takes longer than the timeout.
    ['placement', 'a shard that has moved', 'SELECT 1 / count(*) FROM imports'],
    ['placement', 'a shard that was removed', 'SELECT FROM boards_1'],
    ['placement', 'a missing privilege', `DO $$ BEGIN RAISE SQLSTATE '42501'; END $$`],
    ['node', 'a server that stops', `DO $$ BEGIN RAISE SQLSTATE '57P01'; END $$`],
    ['none', 'nothing', 'SELECT 1'],
  ])('concerns the %s after %s', async (failed, _, text) => {
    expect(await failureOf(text)).toBe(failed)
  })

  test('concerns the node if it cannot be reached', async () => {
    await network.cut()
    expect(await failureOf('SELECT 2')).toBe('node')
    await network.mend()
  })

  test.each([
    ['a statement', 'SELECT pg_sleep(60)'],
    [
      'an idle session',
      `DO $$ BEGIN RAISE SQLSTATE '57P05' USING MESSAGE = 'terminating connection due to idle-session timeout'; END $$`,
    ],
  ])('is not silence if the server ended %s after a timeout', async (_, text) => {
    const error = await node.read({ name: `test.${text}`, text }, []).catch((thrown: unknown) => thrown)
    expect(String(error)).toContain('timeout')
    expect(isSilence(error)).toBe(false)
  })

  test('is not silence if the network has lost one connection', async () => {
    const own = openDatabase({
      connection: network.connection,
      readConnections: 1,
      log: silentLog,
      lifeline: { suspicion: SHORT },
    })
    onTestFinished(() => own.close())
    await own.read({ name: 'test.open', text: 'SELECT 5' }, [])
    network.forget()
    const error = await own.read({ name: 'test.lost', text: 'SELECT 6' }, []).catch((thrown: unknown) => thrown)
    expect(String(error)).toContain('lost in the network')
    expect([failedRead(error), isSilence(error)]).toEqual(['node', false])
    await network.mend()
  })

  test.each([
    [true, 'a connection without data', 'silence'],
    [false, 'a refused connection', 'cut'],
  ] as const)('is silence: %s, after %s', async (silent, _, fault) => {
    await network[fault]()
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const read = node.read({ name: 'test.silence', text: 'SELECT 3' }, [])
      const error = await read.catch((thrown: unknown) => thrown)
      expect(isSilence(error), `attempt ${attempt}`).toBe(silent)
      await sleep(PAUSE)
    }
    await network.mend()
    await vi.waitFor(async () => expect(await failureOf('SELECT 4')).toBe('none'), { timeout: 10_000 })
  })
})

describe('a failed transaction at a node', () => {
  test.each([
    ['a user that may only read', '25006', true],
    ['a wrong password', '28P01', true],
    ['a missing database', '3D000', true],
    ['too many connections', '53300', true],
    ['a table that the node does not know', '42P01', true],
    ['a missing privilege', '42501', true],
    ['a lock that is not granted', '55P03', false],
    ['a deadlock', '40P01', false],
    ['a node that stops', '57P01', false],
    ['a lost connection', 'ECONNRESET', false],
  ])('after %s (%s): goes to the coordinator: %s', (_, code, goes) => {
    expect(isRefusal(Object.assign(new Error('failed'), { code }))).toBe(goes)
  })
})
