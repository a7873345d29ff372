import { createHash } from 'node:crypto'
import { StandardMerkleTree } from '@openzeppelin/merkle-tree'
import { describe, expect, it } from 'vitest'
import { findMember, proveMember } from '../../src/snapshots/proof.ts'
import { evmAddress, giveBoard, snapshotWorld } from './arrange.ts'

const world = await snapshotWorld()
const { kysely } = world.database
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const treeOf = (members: readonly { address: string; points: number }[]) =>
  StandardMerkleTree.of(
    members.map(({ address, points }): [string, string] => [address, String(points)]),
    ['address', 'uint256'],
  )

describe('the Merkle tree', () => {
  it.each([1, 2, 3, 4, 5, 8, 13, 1_000, 2_048, 2_049, 4_097, 9_001])(
    'has the root and the proofs of OpenZeppelin with %i leaves',
    async (count) => {
      const members = Array.from({ length: count }, (_, n) => ({ address: evmAddress(n), points: (n * 7) % 1_000 }))
      await giveBoard(world, 100_000 + count, members)
      const snapshot = await world.seal({ spaceId: 100_000 + count })
      const tree = treeOf(members)
      expect(snapshot).toMatchObject({ members: count, leaves: count, leftOut: 0, root: tree.root })
      for (const { address, points } of members.filter((_, n) => n % Math.ceil(count / 50) === 0 || n === count - 1)) {
        const proof = await proveMember(kysely, snapshot, address)
        const leaf: [string, string] = [address, String(points)]
        expect(proof).toMatchObject({ address, amount: leaf[1], leaf: tree.leafHash(leaf), proof: tree.getProof(leaf) })
      }
    },
  )

  it('leaves out addresses of other chains, names and negative points', async () => {
    const members = [
      { address: evmAddress(1), points: 5 },
      { address: evmAddress(2), points: 0 },
      { address: evmAddress(3), points: -5 },
      { address: 'inj1cml96vmptgw99syqrrz8az79xer2pcgp0a885r', points: 7 },
      { address: `0x${'ab'.repeat(32)}`, points: 9 },
      { address: 'a name, with "quotes"', points: 1 },
      { address: `0x${'z'.repeat(40)}`, points: 3 },
    ]
    await giveBoard(world, 7, members)
    const snapshot = await world.seal({ spaceId: 7 })
    expect(snapshot).toMatchObject({
      members: 7,
      points: '20',
      leaves: 2,
      leftOut: 5,
      root: treeOf(members.slice(0, 2)).root,
    })
    await expect(proveMember(kysely, snapshot, evmAddress(3))).rejects.toThrow('but not in its Merkle tree')
    expect(await findMember(kysely, snapshot, 'A name, with "quotes"')).toMatchObject({ rank: 5, points: 1 })
    await expect(findMember(kysely, snapshot, evmAddress(9))).rejects.toThrow('is not in the snapshot')
    await expect(findMember(kysely, snapshot, '0x123')).rejects.toThrow('address must be a whole wallet address')
    expect(await world.text(snapshot, 'csv')).toContain('5,"a name, with ""quotes""",1\n')
    expect(await world.text(snapshot, 'airdrop')).toBe(`address,amount\n${evmAddress(1)},5\n`)
    expect(await world.text(snapshot, 'disperse')).toBe(`${evmAddress(1)},5\n`)
  })

  it('finds a handle that begins as an address', async () => {
    await giveBoard(world, 11, [{ address: '0xfee', points: 5 }])
    const snapshot = await world.seal({ spaceId: 11 })
    expect(await findMember(kysely, snapshot, '@0xFEE')).toMatchObject({ address: '0xfee', rank: 1 })
  })

  it('has no root without EVM addresses', async () => {
    await giveBoard(world, 8, [{ address: 'somebody', points: 5 }])
    expect(await world.seal({ spaceId: 8 })).toMatchObject({ members: 1, leaves: 0, root: null })
  })
})

describe('the list', () => {
  const members = Array.from({ length: 3_000 }, (_, n) => ({ address: evmAddress(n), points: Math.floor(n / 3) }))

  it('has ranks with ties, in the order of points and addresses', async () => {
    await giveBoard(world, 9, members)
    const snapshot = await world.seal({ spaceId: 9 })
    const sorted = members.toSorted((a, b) => b.points - a.points || (a.address < b.address ? -1 : 1))
    const expected = sorted.map(({ address, points }, n) => `${n - (n % 3) + 1},${address},${points}`)
    expect(await world.text(snapshot, 'csv')).toBe(['rank,address,points', ...expected, ''].join('\n'))
    const [first] = (await world.text(snapshot, 'ndjson')).split('\n')
    expect(JSON.parse(first ?? '')).toEqual({ rank: 1, address: sorted[0]?.address, points: 999 })
  })

  it('has the SHA-256 of the CSV file as its digest', async () => {
    const snapshot = await world.seal({ spaceId: 9 })
    expect(snapshot.digest).toBe(sha256(await world.text(snapshot, 'csv')))
  })

  it('finds every member by address', async () => {
    const snapshot = await world.seal({ spaceId: 9 })
    for (const { address, points } of members.slice(0, 200))
      expect(await findMember(kysely, snapshot, address.toUpperCase().replace('0X', '0x'))).toMatchObject({
        address,
        points,
      })
  })
})
