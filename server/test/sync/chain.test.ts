import { afterAll, beforeEach, expect, test } from 'vitest'
import { importRecords } from '../../src/ingest/import-records.ts'
import { address, evmNode, type EvmNode, NOBODY } from '../support/evm-node.ts'
import { startUpstream } from '../support/upstream.ts'
import { syncFixture } from './arrange.ts'

let node: EvmNode
const upstream = await startUpstream((request, response) => node.answer(request, response))
const fixture = await syncFixture(upstream)
const { credential, run, holders, state } = fixture

const alice = address(1)
const bob = address(2)
const carol = address(3)

const nft = (more: object = {}) => ({
  kind: 'CONTRACT_NFT_HOLDER',
  rpcUrl: upstream.url,
  contract: node.contract,
  standard: 'ERC721',
  startBlock: 1,
  mostRemoved: 1,
  ...more,
})
const coins = (minimum: string) => ({
  kind: 'WALLET_BALANCE',
  rpcUrl: upstream.url,
  minimum,
  mostRemoved: 1,
  asset: { erc20: node.contract, startBlock: 1 },
})

beforeEach(() => {
  node = evmNode('ERC721')
})
afterAll(async () => {
  await Promise.all([upstream.close(), fixture.close()])
})

test('computes the holders of an ERC-721 contract from its transfers', async () => {
  node.moves = [
    { block: 5, from: NOBODY, to: alice, value: 1n },
    { block: 6, from: NOBODY, to: alice, value: 2n },
    { block: 7, from: alice, to: bob, value: 1n },
    { block: 8, from: NOBODY, to: carol, value: 3n },
    { block: 9, from: carol, to: NOBODY, value: 3n },
  ]
  const id = await credential(nft())
  await run(id)
  expect(await holders(id)).toEqual([alice, bob])
  expect(await state(id)).toMatchObject({ item_count: 2, sync_status: 'SYNCED' })
})

test('reads only new and final blocks in the next run', async () => {
  node.moves = [{ block: 50, from: NOBODY, to: alice, value: 1n }]
  const id = await credential(nft({ confirmations: 10 }))
  await run(id)
  expect(node.answered).toEqual([[1, 90]])
  node.moves.push({ block: 95, from: alice, to: bob, value: 1n })
  node.head = 104
  await run(id)
  expect(await holders(id)).toEqual([alice])
  node.head = 105
  await run(id)
  expect(node.answered.slice(1)).toEqual([
    [91, 94],
    [95, 95],
  ])
  expect(await holders(id)).toEqual([bob])
})

test('reads smaller ranges if the node rejects large ones, then larger ones again', async () => {
  node.moves = Array.from({ length: 90 }, (_, i) => ({
    block: i + 1,
    from: NOBODY,
    to: address(i + 1),
    value: BigInt(i),
  }))
  node.head = 1_000
  node.maxRange = 300
  const id = await credential(nft({ maxBlockRange: 1_000, confirmations: 0 }))
  await run(id)
  expect(await holders(id)).toHaveLength(90)
  expect(node.refused).toBeGreaterThan(0)
  expect(node.answered[0]).toEqual([1, 250])
  const covered = node.answered.flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, i) => from + i))
  expect(covered).toEqual(Array.from({ length: 1_000 }, (_, i) => i + 1))
})

test('continues an interrupted run at its checkpoint', async () => {
  node.moves = [
    { block: 10, from: NOBODY, to: alice, value: 1n },
    { block: 60, from: NOBODY, to: bob, value: 2n },
  ]
  const id = await credential(nft({ maxBlockRange: 50, confirmations: 0 }))
  const { tamper } = node
  node.tamper = (logs) => (logs.length > 0 && logs[0]?.blockNumber === '0x3c' ? 'broken' : logs)
  await expect(run(id)).rejects.toThrow('other than logs')
  expect(await holders(id)).toEqual([])
  node.tamper = tamper
  await run(id)
  expect(node.answered.at(-1)).toEqual([51, 100])
  expect(await holders(id)).toEqual([alice, bob])
})

test('starts from the beginning after the chain has replaced a block', async () => {
  node.moves = [{ block: 50, from: NOBODY, to: alice, value: 1n }]
  const id = await credential(nft({ confirmations: 0 }))
  await run(id)
  expect(await holders(id)).toEqual([alice])
  node.moves = [{ block: 50, from: NOBODY, to: bob, value: 1n }]
  node.fork = (block) => (block >= 50 ? 1 : 0)
  node.head = 110
  await run(id)
  expect(node.answered.at(-1)).toEqual([1, 110])
  expect(await holders(id)).toEqual([bob])
})

test('starts from the beginning if the source changes', async () => {
  node.moves = [
    { block: 5, from: NOBODY, to: alice, value: 1n },
    { block: 6, from: NOBODY, to: bob, value: 2n },
  ]
  const id = await credential(nft())
  await run(id)
  const { setSource } = await import('../../src/sync/set-source.ts')
  await setSource(fixture.deps, id, nft({ tokenIds: ['2'] }))
  await run(id)
  expect(await holders(id)).toEqual([bob])
})

test('fails temporarily if the node is behind the checkpoint', async () => {
  node.moves = [{ block: 50, from: NOBODY, to: alice, value: 1n }]
  const id = await credential(nft({ confirmations: 0 }))
  await run(id)
  node.head = 80
  await expect(run(id)).rejects.toThrow('is behind block 100')
  expect(await holders(id)).toEqual([alice])
})

test('adds ERC-1155 balances over single and batch transfers, of all or some token ids', async () => {
  node = evmNode('ERC1155')
  node.moves = [
    { block: 5, from: NOBODY, to: alice, value: [[1n, 10n]] },
    {
      block: 6,
      from: NOBODY,
      to: bob,
      value: [
        [1n, 2n],
        [7n, 3n],
      ],
    },
    { block: 7, from: alice, to: carol, value: [[1n, 10n]] },
  ]
  const standard = 'ERC1155'
  const any = await credential(nft({ standard }))
  await run(any)
  expect(await holders(any)).toEqual([bob, carol])
  const five = await credential(nft({ standard, minimum: '6' }))
  await run(five)
  expect(await holders(five)).toEqual([carol])
  const seven = await credential(nft({ standard, tokenIds: ['7'] }))
  await run(seven)
  expect(await holders(seven)).toEqual([bob])
})

test('compares ERC-20 balances exactly with the minimum', async () => {
  node = evmNode('ERC20')
  const much = 10n ** 30n
  node.moves = [
    { block: 5, from: NOBODY, to: alice, value: much },
    { block: 6, from: NOBODY, to: bob, value: much - 1n },
    { block: 7, from: NOBODY, to: carol, value: much },
    { block: 8, from: carol, to: address(9), value: 1n },
  ]
  const id = await credential(coins(String(much)))
  await run(id)
  expect(await holders(id)).toEqual([alice])
  node.moves.push({ block: 90, from: address(9), to: bob, value: 1n })
  node.head = 120
  await run(id)
  expect(await holders(id)).toEqual([alice, bob])
})

test('reads native balances of the holders of another credential', async () => {
  const candidates = await credential()
  const rows = Array.from({ length: 250 }, (_, i) => ({ credentialId: candidates, address: address(i + 1) }))
  await importRecords(fixture.deps, 'holders', rows)
  node.balances
    .set(address(7), 10n ** 18n)
    .set(address(240), 10n ** 18n - 1n)
    .set(address(250), 10n ** 20n)
  const id = await credential({
    kind: 'WALLET_BALANCE',
    rpcUrl: upstream.url,
    minimum: String(10n ** 18n),
    asset: { nativeOfHoldersOf: candidates },
  })
  await run(id)
  expect(await holders(id)).toEqual([address(7), address(250)])
})

test('fails if startBlock is after the first transfer', async () => {
  node.moves = [
    { block: 5, from: NOBODY, to: alice, value: 1n },
    { block: 50, from: alice, to: bob, value: 1n },
  ]
  const id = await credential(nft({ startBlock: 10 }))
  await expect(run(id)).rejects.toThrow('startBlock is after the first transfer')
})

test.each<[string, (logs: Record<string, unknown>[]) => unknown, RegExp]>([
  ['of another contract', (logs) => logs.map((log) => ({ ...log, address: alice })), /not requested/],
  ['of other blocks', (logs) => logs.map((log) => ({ ...log, blockNumber: '0xffff' })), /not requested/],
  ['of another event', (logs) => logs.map((log) => ({ ...log, topics: [`0x${'1'.repeat(64)}`] })), /not requested/],
  ['that repeat', (logs) => [...logs, ...logs], /not requested/],
  ['that were removed', (logs) => logs.map((log) => ({ ...log, removed: true })), /not requested/],
  ['without fields', () => [{ hello: 'world' }], /other than logs/],
  [
    'with parties that are not addresses',
    (logs) =>
      logs.map((log) => ({
        ...log,
        topics: (log.topics as string[]).map((t, i) => (i === 1 ? `0x${'f'.repeat(64)}` : t)),
      })),
    /does not fit the standard/,
  ],
])('rejects logs %s', async (_, tamper, reason) => {
  node.moves = [{ block: 5, from: NOBODY, to: alice, value: 1n }]
  node.tamper = tamper
  const id = await credential(nft())
  await expect(run(id)).rejects.toThrow(reason)
  expect(await holders(id)).toEqual([])
})
