import { afterAll, expect, it } from 'vitest'
import { DAY } from '../../../src/clock.ts'
import { address, evmNode, type EvmNode, NOBODY } from '../../support/evm-node.ts'
import { startUpstream } from '../../support/upstream.ts'
import { syncFixture } from '../../sync/arrange.ts'
import { rulesFixture } from '../arrange.ts'

const node: EvmNode = evmNode('ERC721')
const upstream = await startUpstream((request, response) => node.answer(request, response))
const sync = await syncFixture(upstream)
const rules = rulesFixture({ ...sync.deps, deps: sync.deps })
afterAll(async () => {
  await Promise.all([upstream.close(), sync.close()])
})

it('a rule about holders gives its points once for the transfer logs of a contract', async () => {
  const [alice, bob, carol] = [address(1), address(2), address(3)]
  await rules.newSpace()
  const { contract } = node
  const source = { kind: 'CONTRACT_NFT_HOLDER', rpcUrl: upstream.url, contract, standard: 'ERC721', startBlock: 1 }
  const credential = await sync.credential({ ...source, mostRemoved: 1 })
  const runAndTick = async () => {
    sync.deps.clock.advance(DAY)
    await sync.run(credential)
    await rules.tick()
  }
  node.moves = [{ block: 5, from: NOBODY, to: alice, value: 1n }]
  await sync.run(credential)
  await rules.set({ kind: 'holder', credential, points: 5 })
  await rules.tick()
  expect(await rules.board()).toEqual({})

  node.moves.push({ block: 95, from: NOBODY, to: bob, value: 2n }, { block: 96, from: alice, to: carol, value: 1n })
  node.head = 120
  await runAndTick()
  expect(await rules.board()).toEqual({ [bob]: 5, [carol]: 5 })

  node.moves.push({ block: 130, from: bob, to: alice, value: 2n }, { block: 131, from: NOBODY, to: carol, value: 3n })
  node.head = 160
  await runAndTick()
  expect(await rules.board()).toEqual({ [bob]: 5, [carol]: 5 })
  expect(await rules.verified()).toEqual([])
})
