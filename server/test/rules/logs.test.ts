import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { DAY, MINUTE } from '../../src/clock.ts'
import { importRecords } from '../../src/ingest/import-records.ts'
import { deleteObject } from '../../src/objects/objects.ts'
import { eraseAddress } from '../../src/personal-data/erase-address.ts'
import { exportPerson } from '../../src/personal-data/export-person.ts'
import { dryRun, type ReplayRequest, replayRules } from '../../src/rules/replay.ts'
import { BY_COMMAND, readRules } from '../../src/rules/rule-sets.ts'
import { tickSpace } from '../../src/rules/ticks.ts'
import { setSource } from '../../src/sync/set-source.ts'
import { removeSource } from '../../src/sync/sources.queries.ts'
import { blocksOf } from '../spec/manual/blocks.ts'
import { address, evmNode, type EvmNode, staked } from '../support/evm-node.ts'
import { startUpstream } from '../support/upstream.ts'
import { syncFixture } from '../sync/arrange.ts'
import { rulesFixture } from './arrange.ts'

let node: EvmNode
const upstream = await startUpstream((request, response) => node.answer(request, response))
const sync = await syncFixture(upstream)
const { deps } = sync
const { database, clock } = deps
const fixture = rulesFixture({ ...deps, deps })
const other = rulesFixture({ ...deps, deps })
const { set, tick, board, entries, verified } = fixture
afterAll(async () => {
  await Promise.all([upstream.close(), sync.close()])
})

const [alice, bob, carol] = [address(1), address(2), address(3)] as const
let space = 0
let credential = ''
/** The block of the time at which a test begins. */
let now = 0

const source = (more: object = {}) => ({
  kind: 'EVM_EVENT',
  rpcUrl: upstream.url,
  contract: node.contract,
  event: 'event Staked(address indexed user, uint256 amount)',
  member: 'user',
  amount: 'amount',
  startBlock: 1,
  confirmations: 0,
  mostRemoved: 1,
  ...more,
})
const rule = (more: object = {}) => ({ kind: 'log', credential, points: 5, ...more })

/** Reads the chain up to the newest log, and counts the logs. */
async function read(...logs: EvmNode['emitted']): Promise<void> {
  node.emitted.push(...logs)
  node.head = Math.max(node.head, ...node.emitted.map(({ block }) => block)) + 1
  clock.set(new Date(Math.max(clock.now(), node.timeOf(node.head))).toISOString())
  await sync.run(credential)
}
async function readAndTick(...logs: EvmNode['emitted']): Promise<void> {
  await read(...logs)
  await tick()
}

const rulesOf = (...rules: object[]) =>
  readRules({ rules: rules.map((one, i) => ({ id: `r${i}`, description: 'A rule', ...one })) })
const tryOut = (rules: object[], request: Partial<ReplayRequest> = {}) =>
  dryRun(deps, space, rulesOf(...rules), { maxEvents: 1_000, ...request })
const replay = async (request: Partial<ReplayRequest> = {}) =>
  (
    await database.kysely
      .transaction()
      .execute((trx) => replayRules(deps, trx, space, { maxEvents: 1_000, author: BY_COMMAND, ...request }))
  ).differences

beforeEach(async () => {
  node = evmNode()
  space = await fixture.newSpace()
  credential = await sync.credential(source())
  now = Math.ceil((clock.now() - node.timeOf(0)) / (node.timeOf(1) - node.timeOf(0)))
  node.head = now
})

describe('a rule about logs', () => {
  it('gives its points for each log of a block after the rule, also of one transaction', async () => {
    await read(staked(now - 2, alice, 1), staked(now - 1, bob, 1))
    await set(rule())
    await tick()
    expect(await board()).toEqual({})
    node.maxRange = 7
    await readAndTick(staked(now + 5, alice, 1, 50), staked(now + 5, alice, 2, 50), staked(now + 20, carol, 1))
    expect(node.refused).toBeGreaterThan(0)
    expect(await board()).toEqual({ [alice]: 10, [carol]: 5 })
    await tick()
    await readAndTick(staked(node.head + 1, alice, 1))
    expect(await board()).toEqual({ [alice]: 15, [carol]: 5 })
    expect(await entries('points_after - points_before AS points, reason')).toMatchObject([
      ...Array.from({ length: 3 }, () => ({ reason: 'A rule' })),
      { points: 5 },
    ])
    expect(await verified()).toEqual([])
  })

  it('gives nothing for blocks before the rule that are read after it', async () => {
    await set(rule())
    await readAndTick(staked(now - 5, alice, 1), staked(now + 5, bob, 1))
    expect(await board()).toEqual({ [bob]: 5 })
  })

  it('has keys in the ledger that do not name the transaction', async () => {
    await set(rule())
    await readAndTick(staked(now + 5, alice, 1, 0xabcdef))
    const [{ key } = {}] = await entries('key')
    expect(key).toMatch(/^rule\tr0\t1\t[0-9a-f-]{36}$/)
    const [{ log_id: id } = {}] = await database.query<{ log_id: string }>(
      'SELECT log_id FROM chain_logs WHERE ref = $1',
      [(key as string).split('\t')[3]],
    )
    expect(id).toContain('abcdef-')
  })

  it('continues after a stop between two batches, and counts each log once with several instances', async () => {
    await set(rule())
    await read(...Array.from({ length: 2_500 }, (_, i) => staked(now + 1 + (i % 50), address(100 + (i % 7)), i)))
    await database.kysely.transaction().execute((trx) => tickSpace(deps, trx, space, 500))
    expect(await entries('address')).toHaveLength(1_000)
    await expect(
      database.kysely.transaction().execute(async (trx) => {
        await tickSpace(deps, trx, space, 500)
        throw new Error('stopped')
      }),
    ).rejects.toThrow('stopped')
    expect(await entries('address')).toHaveLength(1_000)
    await Promise.all([tick(), other.tick()])
    await tick()
    expect(await entries('address')).toHaveLength(2_500)
    expect(Object.values(await board()).reduce((sum, points) => sum + points)).toBe(2_500 * 5)
    expect(await verified()).toEqual([])
  })

  it('gives nothing twice after a reorganization that moves logs', async () => {
    await set(rule())
    await readAndTick(staked(now + 5, alice, 1, 1), staked(now + 5, bob, 1, 2))
    node.emitted = []
    node.fork = (block) => (block >= now ? 1 : 0)
    await readAndTick(staked(now + 5, carol, 1, 3), staked(now + 6, bob, 1, 2), staked(now + 6, alice, 1, 1))
    expect(node.answered.at(-1)?.[0]).toBe(1)
    expect(await board()).toEqual({ [alice]: 5, [bob]: 5, [carol]: 5 })
  })

  it('counts a log that was gone when its turn came, and that the chain has again', async () => {
    await set(rule({ cap: { points: 15, per: 'ever' } }))
    const [first, second] = [staked(now + 5, alice, 1, 1), staked(now + 6, bob, 1, 2)]
    await readAndTick(first)
    await read(second)
    const lose = async (fork: number, ...logs: EvmNode['emitted']) => {
      node.emitted = []
      node.fork = (block) => (block >= now ? fork : 0)
      await readAndTick(...logs)
    }
    await lose(1)
    expect(await board()).toEqual({ [alice]: 5 })
    await set(rule({ cap: { points: 15, per: 'ever' }, description: 'Another' }))
    await lose(2, first, second)
    expect(await board()).toEqual({ [alice]: 5, [bob]: 5 })
    await lose(3)
    expect((await replay()).members).toBe(2)
    await lose(4, first, second)
    expect(await board()).toEqual({ [alice]: 5, [bob]: 5 })
    await lose(5)
    await lose(6, first, second)
    expect(await board()).toEqual({ [alice]: 5, [bob]: 5 })
    expect(await replay()).toMatchObject({ events: 2, members: 0 })
    expect(await verified()).toEqual([])
  })

  it('gives nothing twice after the source was removed, or followed another event', async () => {
    await set(rule())
    await readAndTick(staked(now + 5, alice, 1))
    await database.kysely.transaction().execute((trx) => removeSource(trx, credential))
    await setSource(deps, credential, source({ startBlock: 2 }))
    await readAndTick()
    await setSource(deps, credential, source({ event: 'event Left(address indexed user, uint256 amount)' }))
    await readAndTick()
    expect(await sync.holders(credential)).toEqual([])
    await setSource(deps, credential, source())
    await readAndTick(staked(node.head + 1, bob, 1))
    expect(await sync.holders(credential)).toEqual([alice, bob])
    expect(await board()).toEqual({ [alice]: 5, [bob]: 5 })
  })

  it('gives nothing twice after the credential was deleted and created again', async () => {
    await set(rule())
    await readAndTick(staked(now + 5, alice, 1), staked(now + 6, alice, 1))
    await deleteObject(deps, 'credential', credential, { note: async () => {} })
    const about = { id: credential, name: 'Again', credType: 'EVM_ADDRESS', credSource: 'REST' } as const
    await importRecords(deps, 'credentials', [about])
    clock.advance(MINUTE)
    await setSource(deps, credential, source())
    await readAndTick()
    await readAndTick(staked(node.head + 20, bob, 1))
    expect(await sync.holders(credential)).toEqual([alice, bob])
    expect(await board()).toEqual({ [alice]: 10, [bob]: 5 })
  })

  it('counts logs that the source skipped before', async () => {
    await setSource(deps, credential, source({ minimum: '10' }))
    await set(rule())
    await readAndTick(staked(now - 1, carol, 5), staked(now + 5, alice, 5), staked(now + 6, bob, 15))
    expect(await board()).toEqual({ [bob]: 5 })
    await setSource(deps, credential, source({ minimum: '1' }))
    await readAndTick()
    expect(await board()).toEqual({ [alice]: 5, [bob]: 5 })
  })

  it('can need an amount, which is compared exactly', async () => {
    const much = 2n ** 200n
    await set(rule(), rule({ minAmount: String(much), points: 100 }))
    await readAndTick(staked(now + 5, alice, much - 1n), staked(now + 6, bob, much), staked(now + 7, bob, 2n * much))
    expect(await board()).toEqual({ [alice]: 5, [bob]: 210 })
    await setSource(deps, credential, source({ amount: undefined }))
    await readAndTick(staked(node.head + 1, carol, much))
    expect(await board()).toEqual({ [alice]: 5, [bob]: 210, [carol]: 5 })
  })

  it('has the time of the block for windows, caps and sprints', async () => {
    const timeOf = (block: number) => new Date(node.timeOf(block)).toISOString()
    await importRecords(deps, 'sprints', [
      { spaceId: space, sprintId: 1, startTime: timeOf(now), endTime: timeOf(now + 20) },
      { spaceId: space, sprintId: 2, startTime: timeOf(now + 20), endTime: timeOf(now + 90_000) },
    ])
    await set(
      rule({ from: timeOf(now + 10), until: timeOf(now + 30), points: 1 }),
      rule({ cap: { points: 150, per: 'day' }, points: 100 }),
    )
    const nextDay = now + DAY / 12_000
    const blocks = [now + 5, now + 10, now + 29, now + 30, nextDay]
    await readAndTick(...blocks.map((block) => staked(block, alice, 1)))
    expect(await board()).toEqual({ [alice]: 2 + 150 + 100 })
    expect(await board(1)).toEqual({ [alice]: 1 + 150 })
    expect(await board(2)).toEqual({ [alice]: 1 + 100 })
  })
})

it('the rule of docs/rules.md gives points for logs with enough of an amount', async () => {
  const blocks = blocksOf('docs/rules.md').filter(({ language }) => language === 'json')
  const text = blocks.find((block) => block.text.includes('"kind": "log"'))?.text ?? '{}'
  const documented = JSON.parse(text) as object
  await set({ ...documented, credential })
  const token = 10n ** 18n
  await readAndTick(staked(now + 5, alice, token), staked(now + 6, bob, token - 1n))
  expect(await board()).toEqual({ [alice]: 20 })
})

describe('a new version of the rules', () => {
  it('counts logs that were read before it by the version before it', async () => {
    await set(rule())
    await read(staked(now + 5, alice, 1))
    await set(rule({ points: 7 }))
    await readAndTick(staked(node.head + 5, alice, 1))
    expect(await board()).toEqual({ [alice]: 12 })
  })

  it('begins anew with another credential, and for a rule that returns', async () => {
    await set(rule())
    await readAndTick(staked(now + 5, alice, 1))
    const first = credential
    credential = await sync.credential(source())
    await read()
    await set(rule())
    await readAndTick(staked(node.head + 5, bob, 1))
    expect(await board()).toEqual({ [alice]: 5, [bob]: 5 })
    credential = first
    await set(rule())
    await set()
    await readAndTick()
    await set(rule())
    await readAndTick(staked(node.head + 5, carol, 1))
    expect(await board()).toEqual({ [alice]: 5, [bob]: 5, [carol]: 5 })
  })

  it('needs a credential with a source of logs, or with stored logs', async () => {
    await expect(set(rule({ credential: '424242' }))).rejects.toThrow('rules.0.credential is no credential')
    const without = await sync.credential({ kind: 'CSV', url: 'https://example.org/list.csv' })
    await expect(set(rule({ credential: without }))).rejects.toThrow(
      'rules.0.credential must be a credential with a source of the kind EVM_EVENT',
    )
    node.emitted.push(staked(now - 1, alice, 1))
    const plain = await sync.credential(source({ amount: undefined }))
    await sync.run(plain)
    await expect(set(rule({ credential: plain, minAmount: '5' }))).rejects.toThrow(
      'rules.0.minAmount needs a source with the setting amount',
    )
    await expect(tryOut([rule({ credential: without })])).rejects.toThrow('with a source of the kind EVM_EVENT')
    await read(staked(now, alice, 1))
    await database.kysely.transaction().execute((trx) => removeSource(trx, credential))
    await set(rule())
    expect(await database.query('SELECT FROM rule_sets WHERE space_id = $1', [space])).toHaveLength(1)
  })
})

describe('the past of logs', () => {
  it('a dry run compares it, and a replay applies it and gives nothing twice', async () => {
    await read(staked(now - 30, alice, 1), staked(now - 20, bob, 50))
    const since = new Date(node.timeOf(now - 25))
    await set(rule())
    await readAndTick(staked(now + 5, alice, 1))
    expect(await tryOut([rule()])).toMatchObject({ events: 1, members: 0 })
    const found = await tryOut([rule({ points: 7 })], { since })
    expect(found).toMatchObject({
      events: 2,
      rules: [{ id: 'r0', before: 5, after: 14 }],
      differences: [
        { address: bob, before: 0, after: 7, difference: 7 },
        { address: alice, before: 5, after: 7, difference: 2 },
      ],
    })
    expect(await board()).toEqual({ [alice]: 5 })
    await set(rule({ points: 7 }))
    expect(await replay({ since })).toEqual(found)
    expect(await board()).toEqual({ [alice]: 7, [bob]: 7 })
    expect(await replay({ since })).toMatchObject({ events: 2, members: 0 })
    await readAndTick(staked(node.head + 1, alice, 1))
    expect(await board()).toEqual({ [alice]: 14, [bob]: 7 })
    expect(await verified()).toEqual([])
  })

  it('excludes logs that are not counted yet from a dry run, and a replay counts them first', async () => {
    await set(rule())
    await readAndTick(staked(now + 5, alice, 1))
    await read(staked(node.head + 1, alice, 1))
    expect(await tryOut([rule()])).toMatchObject({ events: 1, members: 0 })
    expect(await replay()).toMatchObject({ events: 2, members: 0 })
    await tick()
    expect(await board()).toEqual({ [alice]: 10 })
  })

  it('does not change caps that a replay counts again', async () => {
    const capped = rule({ points: 7, cap: { points: 10, per: 'ever' } })
    await set(capped)
    await readAndTick(...Array.from({ length: 8 }, () => staked(now + 5, alice, 1)))
    expect(await replay()).toMatchObject({ events: 8, members: 0 })
    expect(await entries('key', 'reversal')).toEqual([])
    await readAndTick(staked(node.head + 1, alice, 1))
    expect(await board()).toEqual({ [alice]: 10 })
  })

  it('loses logs that the chain no longer has: a replay takes their points back', async () => {
    await set(rule())
    await readAndTick(staked(now + 5, alice, 1, 1), staked(now + 6, bob, 1, 2))
    node.emitted = [staked(now + 6, bob, 1, 2)]
    node.fork = (block) => (block >= now ? 1 : 0)
    await readAndTick()
    expect(await board()).toEqual({ [alice]: 5, [bob]: 5 })
    expect(await replay()).toMatchObject({ members: 1, differences: [{ address: alice, difference: -5 }] })
    expect(await board()).toMatchObject({ [bob]: 5 })
    expect((await board())[alice] ?? 0).toBe(0)
  })

  it('keeps the points of logs while the chain is read again', async () => {
    await set(rule())
    await readAndTick(staked(now + 5, alice, 1), staked(now + 6, bob, 1))
    await setSource(deps, credential, source({ startBlock: 2, maxBlockRange: now + 3 }))
    const { tamper } = node
    node.tamper = (logs) => (logs.length > 0 ? 'broken' : logs)
    await expect(sync.run(credential)).rejects.toThrow('other than logs')
    expect(await replay()).toMatchObject({ events: 2, members: 0 })
    node.tamper = tamper
    await readAndTick()
    expect(await replay()).toMatchObject({ events: 2, members: 0 })
    expect(await board()).toEqual({ [alice]: 5, [bob]: 5 })
  })

  it('a dry run rejects too many logs', async () => {
    await read(...Array.from({ length: 5 }, () => staked(now - 5, alice, 1)))
    await expect(tryOut([rule()], { maxEvents: 4 })).rejects.toMatchObject({ code: 'too_many_events' })
  })

  it('leaves and ends with the data of a person, and a replay gives nothing back', async () => {
    await set(rule())
    await readAndTick(staked(now + 5, alice, 7), staked(now + 6, bob, 1))
    const found = await exportPerson(database.kysely, { address: alice }, clock.now(), { issuer: 'http://localhost' })
    const logs = (found?.underAddresses.chain_logs ?? []) as { credential_id: string; amount: string }[]
    expect(logs.filter(({ credential_id: id }) => String(id) === credential)).toMatchObject([{ amount: 7 }])
    await eraseAddress(deps, alice)
    await replay()
    expect(await board()).toEqual({ [bob]: 5 })
    await readAndTick(staked(node.head + 5, bob, 1))
    expect(await sync.holders(credential)).toEqual([bob])
    await deleteObject(deps, 'space', String(space), { note: async () => {} })
    expect(await database.query('SELECT FROM rule_log_runs WHERE space_id = $1', [space])).toEqual([])
    await deleteObject(deps, 'credential', credential, { note: async () => {} })
    expect(await database.query('SELECT FROM chain_logs WHERE credential_id = $1', [credential])).toEqual([])
  })
})
