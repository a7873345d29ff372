import { setImmediate as turn } from 'node:timers/promises'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createIngestToken } from '../../src/access/ingest-tokens.ts'
import { selectIngestTokens } from '../../src/access/ingest-tokens.queries.ts'
import { openDatabase } from '../../src/database/connection.ts'
import { unavailable } from '../../src/errors.ts'
import { createTokenUses } from '../../src/ingest-api/token-uses.ts'
import { silentLog } from '../../src/logging/log.ts'
import { isCluster, waitingSessions } from '../support/database.ts'
import { holdLocks } from '../support/held.ts'
import { createPersonas, OWNER_ACCOUNT } from '../support/personas.ts'
import { startService, type TestService } from '../support/service.ts'

const FIRST = new Date('2026-11-21T12:00:00Z')
const LATER = new Date('2026-11-21T12:00:05Z')

let service: TestService
beforeAll(async () => {
  service = await startService()
  await createPersonas(service.deps)
})
afterAll(() => service.stop())

/** Ids of new tokens. */
const tokens = (count: number) =>
  Promise.all(
    Array.from({ length: count }, async () => {
      const { record } = await createIngestToken(service.deps, { accountId: OWNER_ACCOUNT, name: 'x', spaces: 'all' })
      return record.tokenId
    }),
  ) as Promise<[string, ...string[]]>

const lastUses = async (...tokenIds: string[]) => {
  const stored = await selectIngestTokens(service.database.kysely)
  return tokenIds.map((id) => stored.find(({ tokenId }) => tokenId === id)?.lastUsedAt)
}

/** Locks the row of a token, so that a write of its last use waits. */
const hold = (tokenId: string) =>
  holdLocks(service.database.pool, ['SELECT 1 FROM ingest_tokens WHERE token_id = $1 FOR UPDATE', [tokenId]])

const aWriteWaits = () => expect.poll(() => waitingSessions(service.database)).toBeGreaterThan(0)

/** A pool with no other users, and the number of statements that it was used for. */
function ownPool({ options }: { options?: string } = {}) {
  const connection = { ...service.database.connection, ...(options !== undefined && { options }) }
  const database = openDatabase({ connection, readConnections: 1, poolSize: 5, log: silentLog })
  onTestFinished(() => database.close())
  let statements = 0
  database.pool.on('acquire', () => statements++)
  return { database, pool: database.pool, log: silentLog, statements: () => statements }
}

test('stores the uses of several tokens one after the other, also those that come during a write', async () => {
  const [first, second, third] = (await tokens(3)) as [string, string, string]
  const own = ownPool()
  const uses = createTokenUses(own)
  const { release } = await hold(first)
  uses.note(first, FIRST)
  uses.note(second, FIRST)
  await aWriteWaits()
  uses.note(third, FIRST)
  await turn()
  expect(own.statements()).toBe(1)
  expect(await lastUses(first, second, third)).toEqual([null, null, null])
  await release()
  await expect.poll(() => lastUses(first, second, third)).toEqual([FIRST, FIRST, FIRST])
  expect(own.pool.totalCount).toBe(1)
})

test('stores a later use of the same token that comes during a write', async () => {
  const [tokenId] = await tokens(1)
  const uses = createTokenUses(ownPool())
  const { release } = await hold(tokenId)
  uses.note(tokenId, FIRST)
  await aWriteWaits()
  uses.note(tokenId, LATER)
  await release()
  await expect.poll(() => lastUses(tokenId)).toEqual([LATER])
})

test('stores a use after the pause if its write failed', async () => {
  const [tokenId] = await tokens(1)
  const own = ownPool()
  // The connection refuses one write, and ends; the next one accepts writes.
  await own.pool.query('SET default_transaction_read_only = on')
  createTokenUses(own, { pause: 1 }).note(tokenId, FIRST)
  await expect.poll(() => lastUses(tokenId)).toEqual([FIRST])
})

test('writes nothing during the pause after a failure; a stop tries once more', async () => {
  const [first, second] = (await tokens(2)) as [string, string]
  const own = ownPool({ options: '-c default_transaction_read_only=on' })
  const uses = createTokenUses(own)
  uses.note(first, FIRST)
  // The connection ends after the refused write.
  await expect.poll(() => [own.statements(), own.pool.totalCount]).toEqual([1, 0])
  uses.note(second, FIRST)
  await turn()
  expect(own.pool.totalCount).toBe(0)
  await uses.close()
  expect(own.statements()).toBe(2)
})

test('a stop stores the waiting uses', async () => {
  const tokenIds = await tokens(2)
  const uses = createTokenUses(ownPool())
  const { release } = await hold(tokenIds[0])
  for (const tokenId of tokenIds) uses.note(tokenId, FIRST)
  await aWriteWaits()
  const closed = uses.close()
  await release()
  await closed
  expect(await lastUses(...tokenIds)).toEqual([FIRST, FIRST])
})

// Citus locks a table that is on every node as a whole, so the second lock would wait for the first.
test.skipIf(isCluster())('a stop does not wait for a write that hangs, and starts no other after it', async () => {
  const tokenIds = await tokens(2)
  const [first, second] = tokenIds as [string, string]
  const own = ownPool()
  const uses = createTokenUses(own, { closeTimeout: 1 })
  const { release } = await hold(first)
  await hold(second)
  for (const tokenId of tokenIds) uses.note(tokenId, FIRST)
  await aWriteWaits()
  await uses.close()
  await release()
  // A second write would keep the connection.
  await expect.poll(() => own.pool.idleCount).toBe(1)
  expect(own.statements()).toBe(1)
  expect(await lastUses(first)).toEqual([FIRST])
})

test('writes again after a node did not respond before the write', async () => {
  const [token] = await tokens(1)
  const own = ownPool()
  let responds = false
  const database = {
    ...own.database,
    reachAll() {
      if (!responds) throw unavailable()
    },
  }
  const uses = createTokenUses({ ...own, database }, { pause: 1 })
  uses.note(token, FIRST)
  await turn()
  expect(own.statements()).toBe(0)
  responds = true
  uses.note(token, LATER)
  await expect.poll(() => lastUses(token)).toEqual([LATER])
  await uses.close()
})
