import { afterAll, beforeEach, expect, test } from 'vitest'
import { address, evmNode, type EvmNode, NOBODY } from '../../support/evm-node.ts'
import { startUpstream } from '../../support/upstream.ts'
import { syncFixture } from '../arrange.ts'

let node: EvmNode
const upstream = await startUpstream((request, response) => node.answer(request, response))
const fixture = await syncFixture(upstream)
const { credential, checks, run } = fixture
const [alice, bob] = [address(1), address(2)]
afterAll(async () => {
  await Promise.all([upstream.close(), fixture.close()])
})
beforeEach(() => {
  node = evmNode('ERC721')
})

const held = async (id: string, holder: string) => (await checks.fresh(id, holder)).held
const nft = (more: object = {}) =>
  credential({
    kind: 'CONTRACT_NFT_HOLDER',
    rpcUrl: upstream.url,
    contract: node.contract,
    standard: 'ERC721',
    startBlock: 1,
    ...more,
  })
const mint = (to: string, value: bigint | [bigint, bigint][]) => ({ block: 5, from: NOBODY, to, value })

test('checks the balance of an ERC-721 contract at a final block', async () => {
  node.moves = [mint(alice, 1n), mint(alice, 2n), mint(bob, 3n), { block: 95, from: alice, to: bob, value: 1n }]
  const id = await nft({ minimum: '2', confirmations: 10 })
  expect([await held(id, alice), await held(id, bob)]).toEqual([true, false])
  node.head = 105
  expect([await held(id, alice), await held(id, bob)]).toEqual([false, true])
})

test('checks the owners of tokens, also of tokens that do not exist', async () => {
  node.moves = [mint(alice, 1n), mint(bob, 2n)]
  const id = await nft({ tokenIds: ['1', '7'] })
  expect([await held(id, alice), await held(id, bob)]).toEqual([true, false])
})

test('does not decide with too many tokens', async () => {
  const id = await nft({ tokenIds: Array.from({ length: 21 }, (_, n) => String(n)) })
  expect(await held(id, alice)).toBeUndefined()
})

test('checks the balances of ERC-1155 tokens, and needs their ids', async () => {
  node = evmNode('ERC1155')
  node.moves = [mint(alice, [[1n, 2n]]), mint(bob, [[2n, 5n]])]
  const some = await nft({ standard: 'ERC1155', tokenIds: ['1', '3'], minimum: '2' })
  expect([await held(some, alice), await held(some, bob)]).toEqual([true, false])
  expect(await held(await nft({ standard: 'ERC1155' }), alice)).toBeUndefined()
})

test('checks the balance of an ERC-20 token', async () => {
  node = evmNode('ERC20')
  node.moves = [mint(alice, 100n), mint(bob, 99n)]
  const asset = { erc20: node.contract, startBlock: 1 }
  const id = await credential({ kind: 'WALLET_BALANCE', rpcUrl: upstream.url, minimum: '100', asset })
  expect([await held(id, alice), await held(id, bob), await held(id, address(3))]).toEqual([true, false, false])
})

test('checks the native balance of holders of the other credential only', async () => {
  node.moves = [mint(alice, 1n)]
  node.balances.set(alice, 50n).set(bob, 50n)
  const candidates = await nft()
  await run(candidates)
  const native = (minimum: string) =>
    credential({ kind: 'WALLET_BALANCE', rpcUrl: upstream.url, minimum, asset: { nativeOfHoldersOf: candidates } })
  const enough = await native('50')
  expect([await held(enough, alice), await held(enough, bob)]).toEqual([true, false])
  expect(await held(await native('51'), alice)).toBe(false)
})
