import { z } from 'zod'
import type { SourceContext } from '../reading.ts'
import { SourceError } from '../source-error.ts'
import { call, hostOf, type Node, quantity, readQuantity } from './json-rpc.ts'

const header = z.looseObject({ number: z.string(), hash: z.string().regex(/^0x[0-9a-f]{64}$/i) })

export async function chainId(context: SourceContext, node: Node): Promise<number> {
  return readQuantity(await call(context, node, 'eth_chainId', []), 'chain id', node)
}

/** The newest block that is so deep that it is taken as final. */
export async function finalBlock(context: SourceContext, node: Node, confirmations: number): Promise<number> {
  return readQuantity(await call(context, node, 'eth_blockNumber', []), 'block number', node) - confirmations
}

/** The hash of a block of the chain as the node sees it now; undefined if it does not have the block. */
export async function blockHash(context: SourceContext, node: Node, number: number): Promise<string | undefined> {
  const found = await call(context, node, 'eth_getBlockByNumber', [quantity(number), false])
  if (found === null) return undefined
  const parsed = header.safeParse(found)
  if (!parsed.success || readQuantity(parsed.data.number, 'block number', node) !== number)
    throw new SourceError(`${hostOf(node)} returned another block than ${number}`)
  return parsed.data.hash.toLowerCase()
}
