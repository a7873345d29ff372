import { z } from 'zod'
import { OutgoingError } from '../../outgoing/outgoing-error.ts'
import type { Reading } from '../reading.ts'
import { SourceError } from '../source-error.ts'
import { call, hostOf, type Node, quantity, RpcError } from './json-rpc.ts'
import { type Log, logShape, type Standard, topicsOf } from './transfers.ts'

export interface LogScan {
  contract: string
  standard: Standard
  /** First and last block, both included. */
  from: number
  to: number
  /** The most blocks to ask for at once. */
  maxRange: number
}

/** The logs of consecutive blocks. */
export interface LogPiece {
  to: number
  logs: Log[]
}

const logs = z.array(logShape)

/**
 * The transfer logs of a contract, in pieces from old to new. Nodes refuse ranges that are too large in many words, so
 * any refusal halves the range, and each success widens it again.
 */
export async function* readTransferLogs(reading: Reading, node: Node, scan: LogScan): AsyncGenerator<LogPiece> {
  let range = scan.maxRange
  for (let from = scan.from; from <= scan.to;) {
    const to = Math.min(from + range - 1, scan.to)
    const found = await getLogs(reading, node, scan, from, to)
    if (found instanceof Error) {
      if (from === to) throw found
      range = Math.max(1, Math.floor((to - from + 1) / 2))
      continue
    }
    yield { to, logs: found }
    from = to + 1
    range = Math.min(scan.maxRange, range * 2)
  }
}

/** The logs; or the error, when fewer blocks may be answered. */
async function getLogs(reading: Reading, node: Node, scan: LogScan, from: number, to: number): Promise<Log[] | Error> {
  let answer: unknown
  try {
    answer = await call(reading, node, 'eth_getLogs', [
      {
        address: scan.contract,
        topics: [topicsOf(scan.standard)],
        fromBlock: quantity(from),
        toBlock: quantity(to),
      },
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
  checkLogs(parsed.data, scan, from, to, node)
  return parsed.data
}

/** A node that returns unrelated or repeated logs would change balances without a transfer. */
function checkLogs(found: readonly Log[], scan: LogScan, from: number, to: number, node: Node): void {
  const topics = topicsOf(scan.standard)
  const places = new Set<string>()
  for (const log of found) {
    const block = Number(log.blockNumber)
    const asked =
      log.address.toLowerCase() === scan.contract &&
      topics.includes(log.topics[0]?.toLowerCase() ?? '') &&
      block >= from &&
      block <= to &&
      log.removed !== true
    const place = `${block} ${Number(log.logIndex)}`
    if (!asked || places.has(place)) throw new SourceError(`${hostOf(node)} returned logs that were not requested`)
    places.add(place)
  }
}
