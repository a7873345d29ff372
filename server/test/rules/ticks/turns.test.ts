import { afterAll, beforeEach, expect, it } from 'vitest'
import { importRecords } from '../../../src/ingest/import-records.ts'
import { replayRules } from '../../../src/rules/replay.ts'
import { BY_COMMAND } from '../../../src/rules/rule-sets.ts'
import { address } from '../../support/evm-node.ts'
import { startService } from '../../support/service.ts'
import { rulesFixture } from '../arrange.ts'

const service = await startService()
afterAll(() => service.stop())
const { database, deps, clock } = service
const fixture = rulesFixture(service)
const { set, tick, board } = fixture
const alice = address(1)
let space = 0
beforeEach(async () => {
  space = await fixture.newSpace()
})

/** A credential whose list of logs is empty. */
async function listOfLogs(id: string): Promise<string> {
  const about = { name: 'Stakers', credType: 'EVM_ADDRESS', credSource: 'REST' } as const
  await importRecords(deps, 'credentials', [{ id, ...about }])
  await database.query('INSERT INTO chain_log_lists (credential_id, began_at) VALUES ($1, $2)', [
    id,
    new Date(clock.now()),
  ])
  return id
}

/** Adds a log at the end of so many positions, of which the others have no log. */
async function grow(credential: string, positions: number): Promise<void> {
  await database.query('UPDATE chain_log_lists SET last_position = $2 WHERE credential_id = $1', [
    credential,
    positions,
  ])
  await database.query(
    `INSERT INTO chain_logs (credential_id, log_id, position, address, block_number, happened_at, scan)
     VALUES ($1, 'log', $2, $3, 1, $4, 1)`,
    [credential, positions, alice, new Date(clock.now())],
  )
}

const rule = (credential: string, points: number) => ({ kind: 'log', credential, points })

it('a rule with much to do keeps neither other rules of the space nor other spaces waiting', async () => {
  const [many, few] = [await listOfLogs(`${space}1`), await listOfLogs(`${space}2`)]
  await set(rule(many, 100), rule(few, 1))
  const other = await fixture.newSpace()
  await set(rule(few, 10))
  await grow(many, 10_000_000)
  await grow(few, 1)
  const pointsOf = async (spaceId: number) =>
    (
      await database.query<{ points: number }>(
        'SELECT points FROM board_entries WHERE space_id = $1 AND sprint_id = 0',
        [spaceId],
      )
    ).map(({ points }) => points)
  expect(await tick()).toBeLessThan(1_000)
  expect([await pointsOf(space), await pointsOf(other)]).toEqual([[1], [10]])
  for (let call = 0; (await tick()) < 1_000; call++) expect(call).toBeLessThan(10)
  expect([await pointsOf(space), await pointsOf(other)]).toEqual([[101], [10]])
})

it('rejects a new version while many logs wait for a rule that it changes, and can remove the rule', async () => {
  const many = await listOfLogs(`${space}1`)
  await set(rule(many, 100), rule(many, 3))
  await grow(many, 10_001)
  const pending = { status: 409, code: 'logs_pending' }
  await expect(set(rule(many, 50), rule(many, 3))).rejects.toMatchObject(pending)
  expect(await board()).toEqual({})
  await set({ id: 'r1', ...rule(many, 3) })
  expect(await board()).toEqual({})
  await tick()
  expect(await board()).toEqual({ [alice]: 3 })
})

it('rejects a replay while many logs wait', async () => {
  const many = await listOfLogs(`${space}1`)
  await set(rule(many, 100))
  await grow(many, 10_001)
  const replay = () =>
    database.kysely
      .transaction()
      .execute((trx) => replayRules({ ...deps, clock }, trx, space, { maxEvents: 1_000, author: BY_COMMAND }))
  await expect(replay()).rejects.toMatchObject({ status: 409, code: 'logs_pending' })
  await tick()
  expect((await replay()).differences).toMatchObject({ events: 1, members: 0 })
})
