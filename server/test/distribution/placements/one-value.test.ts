import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { applyClaims } from '../../../src/claims/apply-claims.ts'
import { openDatabase } from '../../../src/database/connection.ts'
import { declaredWrites } from '../../../src/database/prepared-write.ts'
import { declaredStatements } from '@questboard/pg-read-pipeline'
import { placements } from '../../../src/distribution/placements.ts'
import { silentLog } from '../../../src/logging/log.ts'
import { systemRandom } from '../../../src/random.ts'
import { startWorld } from '../../support/fixture.ts'
import { startSignIn } from '../../support/oauth-service.ts'
import { startService } from '../../support/service.ts'
import { askEverything, signInAndOut } from '../requests.ts'
import { type Layout, type Route, routeOf } from '../routing.ts'
import { exceptions, inSteps } from '../several-values.ts'
import { openTap } from '../statement-tap.ts'

const world = await startWorld()
const tap = await openTap(world.database.connection)
const tapped = openDatabase({ connection: tap.connection, readConnections: 1, log: silentLog })
const database = { ...world.database, ...tapped }
// The tap is at the coordinator.
const settings = { DATABASE_NODE_URLS: 'off' }
const service = await startService({ database, clock: world.clock, settings })
const signIn = await startSignIn({ database, clock: world.clock, settings })
let layout: Layout
/** Every statement that the requests sent, once, with its route. */
const seen = new Map<string, Route>()

beforeAll(async () => {
  const rows = await world.database.query<{ table: string; column: string }>(
    `SELECT table_name AS table, column_name AS column FROM information_schema.columns
     WHERE table_schema = 'public' ORDER BY ordinal_position`,
  )
  const tables = [...Map.groupBy(rows, ({ table }) => table)]
  layout = { placements, columns: new Map(tables.map(([name, own]) => [name, new Set(own.map((row) => row.column))])) }
  await askEverything({ ...world, deps: { ...world.deps } }, service.url)
  await signInAndOut(signIn)
  await completeSeveral()
  await service.stop() // what is counted is written
  for (const sent of tap.take()) {
    const text = sent.text.replace(/\s+/g, ' ').trim()
    const route = routeOf(sent, layout)
    // Of a statement that was sent several times, keeps the route with the most problems.
    if (!seen.has(text) || route.problems.length > 0) seen.set(text, route)
  }
})
afterAll(async () => {
  await signIn.close()
  await tapped.close()
  await tap.close()
  await world.stop()
})

/** Requests complete several quests in one transaction only by chance. */
async function completeSeveral(): Promise<void> {
  const claims = ['GCactive01', 'GCactive02'].map((questId) => ({ questId, address: 'of several', answers: new Map() }))
  const { outcomes } = await tapped.kysely
    .transaction()
    .execute((trx) => applyClaims(trx, claims, { clock: world.clock, random: systemRandom }))
  expect(outcomes.map(({ status }) => status)).toEqual(['applied', 'applied'])
}

test('sends every declared statement of the request path', () => {
  // These run on a retry, in the health check, for credentials with an API source, or only if nodes have rows.
  const elsewhere = /^(health|sync|test)\.|responds|webhooks.listened/
  const declared = [...declaredStatements(), ...declaredWrites()].filter(({ name }) => !elsewhere.test(name))
  const unseen = declared.filter(({ text }) => !seen.has(text.replace(/\s+/g, ' ').trim()))
  expect(unseen.map(({ name }) => name)).toEqual([])
})

test('uses one distribution value for all distributed tables in every statement, except known exceptions', () => {
  const several = [...seen].filter(([, { problems }]) => problems.length > 0)
  const unknown = several.filter(([text]) => !exceptions.some((one) => one.text.test(text)))
  expect(unknown.map(([text, { problems }]) => `${problems.join('; ')}: ${text}`)).toEqual([])
  for (const { what, text, asks } of exceptions) {
    const found = several.filter(([sent]) => text.test(sent))
    expect(found, `${what} is an exception no longer`).not.toEqual([])
    const keys = found.map(
      ([, { touches }]) => new Set(touches.filter((one) => one.includes('=')).map((one) => one.split(' ')[1])).size,
    )
    expect(Math.max(...keys) > 1 ? 'several keys' : 'every node', what).toBe(asks)
  }
})

test('lists the statements that insert inside WITH, which also use one value', () => {
  const found = [...seen].filter(([, route]) => route.inSteps)
  expect(found.filter(([text]) => !inSteps.some((one) => one.text.test(text)))).toEqual([])
  for (const { what, text } of inSteps)
    expect(
      found.filter(([sent]) => text.test(sent)),
      what,
    ).not.toEqual([])
  expect(found.flatMap(([, { problems }]) => problems)).toEqual([])
})

test('lists the same exceptions in the manual', () => {
  const manual = readFileSync(join(import.meta.dirname, '../../../../docs/scale.md'), 'utf8').replace(/\s+/g, ' ')
  for (const { what } of [...exceptions, ...inSteps]) expect(manual).toContain(what)
})

describe('the analysis of a statement', () => {
  const read = (text: string, ...values: string[]) => routeOf({ text, values }, layout).problems

  test.each([
    ['SELECT FROM boards WHERE space_id = $1', ['40']],
    ['SELECT FROM boards b JOIN board_entries e USING (space_id) WHERE b.space_id = $1', ['40']],
    ['SELECT FROM boards b LEFT JOIN board_past p ON p.space_id = b.space_id WHERE b.space_id = $1', ['40']],
    ['SELECT FROM boards WHERE space_id = ANY($1)', ['{40}']],
    ['SELECT FROM spaces JOIN boards b USING (space_id) WHERE b.space_id = $1::int', ['40']],
    ['WITH c AS (SELECT $1::int AS s) UPDATE boards SET member_count = 1 FROM c WHERE space_id = c.s', ['40']],
    ['INSERT INTO boards (space_id, sprint_id) VALUES ($1, 1), ($2, 2)', ['40', '40']],
  ])('routes %s to one node', (text, values) => {
    expect(read(text, ...values)).toEqual([])
  })

  test('rejects an unknown kind of statement', () => {
    expect(() => read('MERGE INTO boards USING spaces ON true WHEN MATCHED THEN DO NOTHING')).toThrow('MergeStmt')
    expect(() => read('TRUNCATE boards')).toThrow('TruncateStmt')
    expect(read('BEGIN')).toEqual([])
  })

  test.each([
    ['SELECT FROM boards', []],
    ['SELECT FROM boards WHERE space_id = $1 OR sprint_id = 0', ['40']],
    ['SELECT FROM boards WHERE space_id = ANY($1)', ['{40,41}']],
    ['SELECT FROM boards b LEFT JOIN board_past p ON b.space_id = p.space_id AND p.space_id = $1', ['40']],
    [
      'SELECT FROM boards b WHERE EXISTS (SELECT FROM boards c WHERE c.space_id = b.space_id AND c.space_id = $1)',
      ['40'],
    ],
    ['SELECT FROM boards a, boards b WHERE a.space_id = $1 AND b.space_id = $2', ['40', '41']],
    ['SELECT FROM boards b, quota_windows q WHERE b.space_id = $1 AND q.token_id = $2', ['40', 'x']],
    ['SELECT FROM boards, scheduled_tasks WHERE space_id = $1', ['40']],
    ['INSERT INTO boards (space_id, sprint_id) VALUES ($1, 1), ($2, 1)', ['40', '41']],
    ['INSERT INTO boards (space_id) SELECT space_id FROM spaces', []],
    ['WITH b AS (SELECT space_id FROM boards WHERE space_id = $1) UPDATE spaces SET name = $2 FROM b', ['40', 'x']],
  ])('does not route %s to one node', (text, values) => {
    expect(read(text, ...values)).not.toEqual([])
  })
})
