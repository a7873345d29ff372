import { afterAll, expect, it } from 'vitest'
import { createRequestLog, KEPT_REQUESTS } from '../../src/access/request-log.ts'
import { lastRequests } from '../../src/access/request-log.queries.ts'
import { SECOND } from '../../src/clock.ts'
import { silentLog } from '../../src/logging/log.ts'
import { ask } from '../support/ask.ts'
import type { TestClock } from '../support/clock.ts'
import { startWorld } from '../support/fixture.ts'
import { tokenWithLimits } from '../support/personas.ts'
import { startService } from '../support/service.ts'

const world = await startWorld()
afterAll(() => world.stop())

const unlimited = () => tokenWithLimits(world.deps, { perSecond: null, perDay: null })
const logged = (tokenId: string) => lastRequests(world.database.kysely, tokenId, KEPT_REQUESTS)

/** Runs work against an instance, which writes its log when it stops. */
async function withInstance(work: (url: string) => Promise<void>, clock: TestClock = world.clock): Promise<void> {
  const service = await startService({ database: world.database, clock })
  await work(service.url)
  await service.stop()
}

it('logs status, fields, duration, request ID and error code of each request, and nothing that the client wrote', async () => {
  const { token, tokenId } = await tokenWithLimits(world.deps, { perSecond: null, perDay: 4 })
  const ids: (string | null)[] = []
  // Each reading of the monotonic time is a second after the last one, so each request takes whole seconds.
  let seconds = 0
  const clock = { ...world.clock, monotonic: () => ++seconds * SECOND }
  await withInstance(async (url) => {
    for (const query of [
      'query SecretName($id: Int!) { space(id: $id) { name } }',
      '{ space(id: 987654321) { name } }',
      '{ secretField }',
      '{ space(id: 40) { name } }',
      '{ space(id: 40) { name } }',
    ]) {
      world.clock.advance(10)
      const { headers } = await ask(url, query, { token, variables: { id: 40 } })
      ids.push(headers.get('x-request-id'))
    }
  }, clock)
  const found = (await logged(tokenId)).reverse()
  expect(found.map(({ operation, status, code }) => [operation, status, code])).toEqual([
    ['space', 200, null],
    ['space', 200, 'NOT_FOUND'],
    ['(refused)', 400, 'INVALID_ARGUMENT'],
    ['space', 200, null],
    ['(refused)', 429, 'QUOTA_EXCEEDED'],
  ])
  expect(found.map(({ requestId }) => requestId)).toEqual(ids)
  expect(found.every(({ milliseconds }) => milliseconds >= SECOND && milliseconds % SECOND === 0)).toBe(true)
  const stored = await world.database.query('SELECT t::text AS row FROM token_requests t')
  expect(JSON.stringify(stored)).not.toMatch(/secret|987654321|127\.0\.0\.1|::1/i)
})

it('merges the requests of several instances', async () => {
  const { token, tokenId } = await unlimited()
  const send = async (url: string) => void (await ask(url, '{ space(id: 40) { id } }', { token }))
  await Promise.all([withInstance(send), withInstance(send)])
  expect(await logged(tokenId)).toHaveLength(2)
})

it('keeps the last requests of each token, and deletes older rows', async () => {
  const { pool } = world.database
  const log = createRequestLog(pool, silentLog)
  const [busy, quiet] = [await unlimited(), await unlimited()]
  const requestOf = (tokenId: string, n: number) => {
    const at = world.clock.now()
    return { tokenId, at, requestId: String(n), operation: 'q', status: 200, milliseconds: 1, code: null }
  }
  log.record(requestOf(quiet.tokenId, 0))
  for (let n = 0; n < 250; n++) {
    world.clock.advance(1)
    log.record(requestOf(busy.tokenId, n))
  }
  await log.close()
  const next = createRequestLog(pool, silentLog)
  for (let n = 250; n < 350; n++) {
    world.clock.advance(1)
    next.record(requestOf(busy.tokenId, n))
  }
  await next.close()
  const ids = (await logged(busy.tokenId)).map(({ requestId }) => Number(requestId))
  expect(ids).toEqual(Array.from({ length: KEPT_REQUESTS }, (_, n) => 349 - n))
  const [{ count } = { count: '' }] = await world.database.query<{ count: string }>(
    'SELECT count(*)::text FROM token_requests WHERE token_id = $1',
    [busy.tokenId],
  )
  expect(count).toBe(String(KEPT_REQUESTS))
  expect(await logged(quiet.tokenId)).toHaveLength(1)
})
