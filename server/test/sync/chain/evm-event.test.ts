import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { forgetChain, readCheckpoint } from '../../../src/sync/chain/checkpoints.queries.ts'
import { completeScan, storeLogs } from '../../../src/sync/chain/event-logs.queries.ts'
import { parseEvent } from '../../../src/sync/chain/event-signature.ts'
import { parseSource } from '../../../src/sync/source.ts'
import { setSource } from '../../../src/sync/set-source.ts'
import { trySource } from '../../../src/sync/try-source.ts'
import { address, evmNode, type EvmNode, NOBODY, staked, word } from '../../support/evm-node.ts'
import { startUpstream } from '../../support/upstream.ts'
import { syncFixture } from '../arrange.ts'

let node: EvmNode
const upstream = await startUpstream((request, response) => node.answer(request, response))
const fixture = await syncFixture(upstream)
const { credential, run, holders, state } = fixture
const { database } = fixture.deps

const [alice, bob, carol] = [address(1), address(2), address(3)] as const

const source = (more: object = {}) => ({
  kind: 'EVM_EVENT',
  rpcUrl: upstream.url,
  contract: node.contract,
  event: 'event Staked(address indexed user, uint256 amount)',
  member: 'user',
  startBlock: 1,
  confirmations: 0,
  mostRemoved: 1,
  ...more,
})

const logsOf = (id: string) =>
  database.query<{ position: number; address: string; amount: string | null; at: string; block_number: number }>(
    `SELECT position, address, amount::text, block_number, to_json(happened_at AT TIME ZONE 'UTC') AS at
     FROM chain_logs WHERE credential_id = $1 ORDER BY position`,
    [id],
  )
const membersOf = async (id: string) => (await logsOf(id)).map((log) => log.address)

beforeEach(() => {
  node = evmNode()
})
afterAll(async () => {
  await Promise.all([upstream.close(), fixture.close()])
})

describe('a source of logs', () => {
  it('lists the addresses that have a log, and stores each log', async () => {
    node.emitted = [staked(5, bob, 7), staked(6, alice, 1), staked(6, bob, 2, 2), staked(6, bob, 3, 2)]
    const id = await credential(source({ amount: 'amount' }))
    await run(id)
    expect(await holders(id)).toEqual([alice, bob])
    expect(await state(id)).toMatchObject({ item_count: 2, sync_status: 'SYNCED' })
    expect(await logsOf(id)).toEqual([
      { position: 1, address: bob, amount: '7', block_number: 5, at: '2026-11-21T11:01:00' },
      { position: 2, address: alice, amount: '1', block_number: 6, at: '2026-11-21T11:01:12' },
      { position: 3, address: bob, amount: '2', block_number: 6, at: '2026-11-21T11:01:12' },
      { position: 4, address: bob, amount: '3', block_number: 6, at: '2026-11-21T11:01:12' },
    ])
  })

  it('reads only new and final blocks in the next run', async () => {
    node.emitted = [staked(50, alice, 1)]
    const id = await credential(source({ confirmations: 10 }))
    await run(id)
    node.emitted.push(staked(95, bob, 1))
    node.head = 104
    await run(id)
    expect(await holders(id)).toEqual([alice])
    node.head = 105
    await run(id)
    expect(node.answered).toEqual([
      [1, 90],
      [91, 94],
      [95, 95],
    ])
    expect(await holders(id)).toEqual([alice, bob])
    expect(await membersOf(id)).toEqual([alice, bob])
  })

  it('reads smaller ranges if the node rejects large ones', async () => {
    node.emitted = Array.from({ length: 90 }, (_, i) => staked(i + 1, address(i + 1), i))
    node.maxRange = 30
    const id = await credential(source())
    await run(id)
    expect(await holders(id)).toHaveLength(90)
    expect(node.refused).toBeGreaterThan(0)
    expect(await membersOf(id)).toEqual(Array.from({ length: 90 }, (_, i) => address(i + 1)))
  })

  it('continues an interrupted run at its checkpoint, and stores no log twice', async () => {
    node.emitted = [staked(10, alice, 1), staked(60, bob, 1)]
    const id = await credential(source({ maxBlockRange: 50 }))
    const { tamper } = node
    node.tamper = (logs) => (logs[0]?.blockNumber === '0x3c' ? 'broken' : logs)
    await expect(run(id)).rejects.toThrow('other than logs')
    expect([await holders(id), await membersOf(id)]).toEqual([[], [alice]])
    node.tamper = tamper
    await run(id)
    expect(node.answered.at(-1)).toEqual([51, 100])
    expect([await holders(id), await membersOf(id)]).toEqual([
      [alice, bob],
      [alice, bob],
    ])
  })

  it('keeps a log that the chain has moved, and drops one that it no longer has', async () => {
    node.emitted = [staked(50, alice, 1, 1), staked(51, bob, 1, 2), staked(52, bob, 1, 3)]
    const id = await credential(source())
    await run(id)
    node.emitted = [staked(50, carol, 1, 4), staked(52, bob, 5, 2), staked(53, carol, 1, 5)]
    node.fork = (block) => (block >= 50 ? 1 : 0)
    node.head = 110
    await run(id)
    expect(node.answered.at(-1)).toEqual([1, 110])
    expect(await holders(id)).toEqual([bob, carol])
    expect((await logsOf(id)).map((log) => [log.position, log.address, log.block_number])).toEqual([
      [1, alice, 50],
      [2, bob, 52],
      [3, bob, 52],
      [4, carol, 50],
      [5, carol, 53],
    ])
  })

  it('reads blocks again that the chain replaced while it read them', async () => {
    node.emitted = [staked(50, alice, 1, 1)]
    const id = await credential(source())
    const { tamper } = node
    node.tamper = (logs) => {
      node.fork = (block) => (block >= 50 ? 1 : 0)
      return logs
    }
    await expect(run(id)).rejects.toThrow('replaced the block 100 while its logs were read')
    expect(await membersOf(id)).toEqual([])
    node.tamper = tamper
    node.emitted = [staked(50, bob, 1, 2)]
    await run(id)
    expect([await holders(id), await membersOf(id)]).toEqual([[bob], [bob]])
  })

  it('ends only its own scan', async () => {
    node.emitted = [staked(50, alice, 1)]
    const id = await credential(source())
    await run(id)
    const { kysely } = database
    const own = await readCheckpoint(kysely, id)
    if (!own) throw new Error('no checkpoint')
    await forgetChain(kysely, id)
    const next = { ...own, block: 10 }
    await storeLogs(kysely, id, [], { previous: undefined, next, now: new Date(fixture.deps.clock.now()) })
    const scans = () => database.query('SELECT scan, complete_scan FROM chain_log_lists WHERE credential_id = $1', [id])
    expect(await completeScan(kysely, id, own)).toBe(false)
    expect(await scans()).toEqual([{ scan: 2, complete_scan: 1 }])
    expect(await completeScan(kysely, id, next)).toBe(true)
    expect(await scans()).toEqual([{ scan: 2, complete_scan: 2 }])
  })

  it('has no new logs after the source was removed and set again', async () => {
    node.emitted = [staked(50, alice, 1), staked(51, bob, 1)]
    const id = await credential(source())
    await run(id)
    const stored = () =>
      database.query('SELECT log_id, position, ref FROM chain_logs WHERE credential_id = $1 ORDER BY log_id', [id])
    const before = await stored()
    await database.query('DELETE FROM credential_sources WHERE credential_id = $1', [id])
    await setSource(fixture.deps, id, source())
    await run(id)
    expect(await stored()).toEqual(before)
  })

  it('starts from the beginning if the source changes', async () => {
    node.emitted = [staked(5, alice, 10), staked(6, bob, 20)]
    const id = await credential(source())
    await run(id)
    await setSource(fixture.deps, id, source({ amount: 'amount', minimum: '11' }))
    await run(id)
    expect(await holders(id)).toEqual([bob])
    await setSource(fixture.deps, id, source())
    await run(id)
    expect([await holders(id), await membersOf(id)]).toEqual([
      [alice, bob],
      [bob, alice],
    ])
  })

  it('compares amounts exactly with the minimum', async () => {
    const much = 2n ** 256n - 1n
    node.emitted = [staked(5, alice, much), staked(6, bob, much - 1n)]
    const id = await credential(source({ amount: 'amount', minimum: String(much) }))
    await run(id)
    expect(await holders(id)).toEqual([alice])
    expect(await logsOf(id)).toMatchObject([{ amount: String(much) }])
  })

  it('reads members and negative amounts wherever they are', async () => {
    const event = 'event Moved(bool indexed up, int64 change, address owner, bytes32 note)'
    const topics = [parseEvent(event).topic, `0x${word(1n)}`]
    node.emitted = [{ block: 5, topics, data: `0x${word((1n << 256n) - 3n)}${word(bob)}${word(1n)}` }]
    const id = await credential(source({ event, member: 'owner', amount: 'change' }))
    await run(id)
    expect(await logsOf(id)).toMatchObject([{ address: bob, amount: '-3' }])
  })

  it('skips logs about the zero address', async () => {
    node.emitted = [staked(5, NOBODY, 1), staked(6, alice, 1)]
    const id = await credential(source())
    await run(id)
    expect([await holders(id), await membersOf(id)]).toEqual([[alice], [alice]])
  })

  it('reads the times of many blocks in batches, or from the logs', async () => {
    node.emitted = Array.from({ length: 250 }, (_, i) => staked(i + 1, alice, 1))
    node.head = 250
    const one = await credential(source())
    await run(one)
    expect(node.blocksRead).toBe(252)
    node.timesInLogs = true
    const other = await credential(source())
    await run(other)
    expect(node.blocksRead).toBe(254)
    node.timesInLogs = false
    node.takesBatches = false
    const third = await credential(source())
    await run(third)
    const timesOf = async (id: string) => (await logsOf(id)).map(({ at }) => at)
    expect(await timesOf(other)).toEqual(await timesOf(one))
    expect(await timesOf(third)).toEqual(await timesOf(one))
  })
})

type Tamper = (log: Record<string, unknown>) => object

it.each<[string, Tamper, RegExp]>([
  ['with too little data', () => ({ data: '0x' }), /does not fit the event Staked\(address,uint256\)/],
  ['with a part of a word', () => ({ data: `0x${'0'.repeat(62)}` }), /does not fit the event/],
  ['with too few topics', ({ topics }) => ({ topics: (topics as string[]).slice(0, 1) }), /which of its parameters/],
  ['with too many topics', ({ topics }) => ({ topics: [...(topics as string[]), `0x${word(1n)}`] }), /does not fit/],
  ['about no address', ({ topics }) => ({ topics: [(topics as string[])[0], `0x${'f'.repeat(64)}`] }), /does not fit/],
  ['without a transaction', () => ({ transactionHash: null }), /a log without its transaction/],
  ['of another block', () => ({ blockHash: `0x${'a'.repeat(64)}` }), /no longer has the block 5 of its own logs/],
  ['of the future', () => ({ blockTimestamp: '0x80000000000' }), /a block of the future/],
  ['of another contract', () => ({ address: alice }), /not requested/],
  ['that were removed', () => ({ removed: true }), /not requested/],
])('a run rejects logs %s, and stores nothing', async (_, tamper, reason) => {
  node.emitted = [staked(5, alice, 1)]
  node.tamper = (logs) => logs.map((log) => ({ ...log, ...tamper(log) }))
  const id = await credential(source({ amount: 'amount' }))
  await expect(run(id)).rejects.toThrow(reason)
  expect([await holders(id), await membersOf(id)]).toEqual([[], []])
})

it('a run rejects an amount that its type cannot have', async () => {
  const event = 'event Rated(address indexed user, uint8 stars)'
  node.emitted = [{ block: 5, topics: [parseEvent(event).topic, `0x${word(alice)}`], data: `0x${word(300n)}` }]
  const id = await credential(source({ event, amount: 'stars' }))
  await expect(run(id)).rejects.toThrow('does not fit the event Rated(address,uint8)')
})

it('a run fails if a credential has too many logs, and stores none of them', async () => {
  node.emitted = [staked(5, alice, 1)]
  const id = await credential(source())
  await run(id)
  await database.query('UPDATE chain_log_lists SET last_position = 9999999 WHERE credential_id = $1', [id])
  node.emitted.push(staked(105, bob, 1))
  node.head = 110
  await run(id)
  node.emitted.push(staked(115, carol, 1))
  node.head = 120
  await expect(run(id)).rejects.toThrow('there are more than 10000000 logs; use another credential')
  expect(await membersOf(id)).toEqual([alice, bob])
})

it('a trial reads the first logs and stores nothing', async () => {
  node.emitted = [staked(5, alice, 1), staked(6, alice, 2), staked(7, bob, 3)]
  const { kysely } = database
  const deps = { ...fixture.deps, kysely, sites: fixture.deps.config.sites }
  const request = { source: parseSource(source()), credType: 'EVM_ADDRESS', address: undefined }
  const trial = await trySource(deps, request)
  expect(trial).toMatchObject({ works: true, message: null, read: 2, invalid: 0, complete: false })
  expect(trial.entries.map(({ holder }) => holder)).toEqual([alice, bob])
  node.tamper = (logs) => logs.map((log) => ({ ...log, data: '0x' }))
  expect(await trySource(deps, request)).toMatchObject({
    works: false,
    message: expect.stringContaining('does not fit the event') as string,
  })
})

it.each([
  [{ event: 'Staked' }, 'event: must be an event such as "event Staked(address indexed user, uint256 amount)"'],
  [{ event: undefined }, 'event: is missing; it must be a text'],
  [{ event: 'event Said(address indexed user, string text)' }, 'event: has the type "string" for parameter 2'],
  [{ member: undefined }, 'member: is missing'],
  [{ member: 'amount' }, 'member: must be the name of an address parameter of the event: user'],
  [{ member: 'nobody' }, 'member: must be the name of an address parameter of the event: user'],
  [{ event: 'event A(uint256 amount)' }, 'event: must have a parameter of the type address'],
  [
    { event: 'event A(address user)', amount: 'user' },
    'amount: must be absent, because no parameter of the event is a number',
  ],
  [{ amount: 'user' }, 'amount: must be the name of a parameter of the event that is a number: amount'],
  [{ minimum: '5' }, 'minimum: requires `amount`'],
  [{ amount: 'amount', minimum: '-1' }, 'minimum: must be a whole number of base units'],
  [{ contract: '0x12' }, 'contract: must be an EVM address'],
  [{ startBlock: undefined }, 'startBlock: is missing'],
  [{ standard: 'ERC20' }, 'source: has no setting "standard"'],
])('rejects the settings %j', (more, reason) => {
  expect(() => parseSource(source(more))).toThrow(reason)
})

it('needs a credential for EVM addresses', async () => {
  const id = await credential(undefined, { credType: 'SOLANA_ADDRESS' })
  await expect(setSource(fixture.deps, id, source())).rejects.toThrow(
    'needs a credential whose credType is EVM_ADDRESS',
  )
})
