import { z } from 'zod'
import { HOUR, SECOND } from '../../clock.ts'
import type { SourceContext } from '../reading.ts'
import { SourceError } from '../source-error.ts'
import { call, callBatch, hostOf, type Node, quantity, readQuantity, RpcError } from './json-rpc.ts'
import type { Log } from './logs.ts'

const header = z.looseObject({ number: z.string(), hash: z.string(), timestamp: z.string() })

const BATCH = 100
/** The clocks of block producers differ by less than this. */
const MAX_AHEAD = HOUR

/**
 * The times of the blocks of logs by the number of the block, in milliseconds since 1970. Newer nodes put the time into
 * the log.
 */
export async function blockTimes(
  context: SourceContext,
  node: Node,
  logs: readonly Log[],
): Promise<Map<number, number>> {
  const times = new Map<number, number>()
  const hashes = new Map<number, string | undefined>()
  for (const { blockNumber, blockHash, blockTimestamp } of logs) {
    const block = Number(blockNumber)
    if (blockTimestamp) times.set(block, timeOf(context, node, blockTimestamp))
    else hashes.set(block, blockHash?.toLowerCase())
  }
  const blocks = [...hashes.keys()].filter((block) => !times.has(block))
  for (let i = 0; i < blocks.length; i += BATCH) {
    const some = blocks.slice(i, i + BATCH)
    const found = await readBlocks(context, node, some)
    for (const [index, block] of some.entries()) {
      const { data } = header.safeParse(found[index])
      const hash = hashes.get(block)
      const same = data && readQuantity(data.number, 'block number', node) === block
      if (!same || (hash !== undefined && data.hash.toLowerCase() !== hash))
        throw new SourceError(`${hostOf(node)} no longer has the block ${block} of its own logs`, { temporary: true })
      times.set(block, timeOf(context, node, data.timestamp))
    }
  }
  return times
}

async function readBlocks(context: SourceContext, node: Node, blocks: readonly number[]): Promise<unknown[]> {
  const calls = blocks.map((block) => [quantity(block), false])
  try {
    return await callBatch(context, node, 'eth_getBlockByNumber', calls)
  } catch (error) {
    // Some nodes do not support batches.
    if (!(error instanceof RpcError)) throw error
  }
  const found: unknown[] = []
  for (const params of calls) found.push(await call(context, node, 'eth_getBlockByNumber', params))
  return found
}

function timeOf({ clock }: SourceContext, node: Node, timestamp: string): number {
  const time = readQuantity(timestamp, 'time of a block', node) * SECOND
  if (time > clock.now() + MAX_AHEAD)
    throw new SourceError(`${hostOf(node)} returned a block of the future`, { temporary: true })
  return time
}
