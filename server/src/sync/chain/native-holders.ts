import type { Reading } from '../reading.ts'
import { SourceError } from '../source-error.ts'
import { readHolders } from './balances.queries.ts'
import { finalBlock } from './blocks.ts'
import { callBatch, hostOf, type Node, quantity } from './json-rpc.ts'

export interface NativeBalances {
  node: Node
  /** The credential whose holders are checked. */
  candidates: string
  /** In base units (wei). */
  minimum: string
  confirmations: number
}

const BATCH = 100

/** Passes on the holders of another credential whose native balance is at least the minimum, all at one block. */
export async function readNativeHolders(reading: Reading, wanted: NativeBalances): Promise<void> {
  const { kysely } = reading
  const { node } = wanted
  const block = quantity(Math.max(0, await finalBlock(reading, node, wanted.confirmations)))
  const minimum = BigInt(wanted.minimum)
  for (let after = ''; ;) {
    const page = await readHolders(kysely, wanted.candidates, after, BATCH)
    const addresses = page.filter((address) => /^0x[0-9a-f]{40}$/.test(address))
    if (addresses.length > 0) {
      const calls = addresses.map((address) => [address, block])
      const balances = await callBatch(reading, node, 'eth_getBalance', calls)
      await reading.give(addresses.filter((_, i) => balance(balances[i], node) >= minimum))
    }
    if (page.length < BATCH) return
    after = page.at(-1) as string
  }
}

function balance(value: unknown, node: Node): bigint {
  if (typeof value !== 'string' || !/^0x[0-9a-f]{1,64}$/i.test(value))
    throw new SourceError(`${hostOf(node)} returned no balance`)
  return BigInt(value)
}
