import { z } from 'zod'
import { OutgoingError } from '../../outgoing/outgoing-error.ts'
import type { SourceContext } from '../reading.ts'
import { SourceError } from '../source-error.ts'
import { blockHash } from './blocks.ts'
import { call, hostOf, type Node, quantity, RpcError } from './json-rpc.ts'

const hash = z.string().regex(/^0x[0-9a-f]{64}$/i)
const number = z.string().regex(/^0x[0-9a-f]{1,13}$/i)

const logShape = z.looseObject({
  address: z.string(),
  topics: z.array(hash),
  data: z.string().regex(/^0x([0-9a-f]{2})*$/i),
  blockNumber: number,
  blockHash: hash.nullish(),
  blockTimestamp: number.nullish(),
  transactionHash: hash.nullish(),
  logIndex: number,
  removed: z.boolean().optional(),
})
export type Log = z.infer<typeof logShape>

/** The logs of a contract that begin with one of the topics. */
export interface LogFilter {
  contract: string
  topics: readonly string[]
}

export interface LogScan extends LogFilter {
  /** The first and the last block, inclusive. */
  from: number
  to: number
  /** The maximum number of blocks of one request. */
  maxRange: number
}

/** The logs of consecutive blocks. */
export interface LogPiece {
  to: number
  /** The hash of the last block, before and after the logs were read. */
  hash: string
  logs: Log[]
}

const logs = z.array(logShape)

/**
 * The logs of a contract, in pieces from old to new. Nodes refuse ranges that are too large in many words, so any refusal
 * halves the range, and each success widens it again.
 */
export async function* readLogs(context: SourceContext, node: Node, scan: LogScan): AsyncGenerator<LogPiece> {
  let range = scan.maxRange
  for (let from = scan.from; from <= scan.to;) {
    const to = Math.min(from + range - 1, scan.to)
    const hash = await hashOf(context, node, to)
    const found = await getLogs(context, node, scan, from, to)
    if (found instanceof Error) {
      if (from === to) throw found
      range = Math.max(1, Math.floor((to - from + 1) / 2))
      continue
    }
    // Between two requests, the chain can replace blocks, and a proxy can choose a node with other blocks.
    if ((await hashOf(context, node, to)) !== hash || found.some((log) => isOfOther(log, to, hash)))
      throw new SourceError(`${hostOf(node)} replaced the block ${to} while its logs were read`, { temporary: true })
    yield { to, hash, logs: found }
    from = to + 1
    range = Math.min(scan.maxRange, range * 2)
  }
}

async function hashOf(context: SourceContext, node: Node, block: number): Promise<string> {
  const found = await blockHash(context, node, block)
  if (found === undefined)
    throw new SourceError(`${hostOf(node)} does not have the block ${block}, which it called final`, {
      temporary: true,
    })
  return found
}

const isOfOther = ({ blockNumber, blockHash: own }: Log, block: number, expected: string): boolean =>
  Number(blockNumber) === block && (own?.toLowerCase() ?? expected) !== expected

/** Returns the logs, or the error if a request for fewer blocks may succeed. */
async function getLogs(
  context: SourceContext,
  node: Node,
  filter: LogFilter,
  from: number,
  to: number,
): Promise<Log[] | Error> {
  let answer: unknown
  try {
    answer = await call(context, node, 'eth_getLogs', [
      { address: filter.contract, topics: [filter.topics], fromBlock: quantity(from), toBlock: quantity(to) },
    ])
  } catch (error) {
    const tooMuch =
      error instanceof RpcError ||
      (error instanceof OutgoingError && (error.failure === 'size' || error.failure === 'time')) ||
      (error instanceof SourceError && /status 413$/.test(error.message))
    if (tooMuch) return error
    throw error
  }
  const parsed = logs.safeParse(answer)
  if (!parsed.success) throw new SourceError(`${hostOf(node)} returned something other than logs for eth_getLogs`)
  checkLogs(parsed.data, filter, from, to, node)
  return parsed.data
}

/** A node that returns unrelated or repeated logs would change balances, or give points, without an event. */
function checkLogs(found: readonly Log[], { contract, topics }: LogFilter, from: number, to: number, node: Node): void {
  const places = new Set<string>()
  for (const log of found) {
    const block = Number(log.blockNumber)
    const asked =
      log.address.toLowerCase() === contract &&
      topics.includes(log.topics[0]?.toLowerCase() ?? '') &&
      block >= from &&
      block <= to &&
      log.removed !== true
    const place = `${block} ${Number(log.logIndex)}`
    if (!asked || places.has(place)) throw new SourceError(`${hostOf(node)} returned logs that were not requested`)
    places.add(place)
  }
}
