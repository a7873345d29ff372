import type { SourceContext, Reading } from '../reading.ts'
import { SourceError } from '../source-error.ts'
import { blockHash, chainId, finalBlock } from './blocks.ts'
import { type Checkpoint, forgetChain, readCheckpoint } from './checkpoints.queries.ts'
import { hostOf, type Node } from './json-rpc.ts'
import { type Log, type LogFilter, readLogs } from './logs.ts'

export interface LogsToFollow extends LogFilter {
  node: Node
  startBlock: number
  confirmations: number
  maxBlockRange: number
}

export interface LogStore {
  /** All settings that decide which logs are read. If the scope changes, the chain is read from the first block again. */
  scope: readonly unknown[]
  /**
   * Stores the changes in the logs and moves the checkpoint in one transaction.
   * @param previous undefined at the beginning of the scan
   * @returns false, and changes nothing, if another run has moved the checkpoint
   */
  store: (logs: readonly Log[], previous: Checkpoint | undefined, next: Checkpoint) => Promise<boolean>
}

/**
 * Reads the new logs of a contract up to the newest block that counts as final. If the chain has replaced a block that was
 * read, everything is read again.
 * @returns the checkpoint up to which the logs were read
 */
export async function followLogs(
  reading: Reading,
  credentialId: string,
  wanted: LogsToFollow,
  { scope: what, store }: LogStore,
): Promise<Checkpoint> {
  const { node, startBlock } = wanted
  const scope = JSON.stringify([await chainId(reading, node), ...what])
  const final = await finalBlock(reading, node, wanted.confirmations)
  let checkpoint = await validCheckpoint(reading, credentialId, scope, node)
  // Another node of the same source may be behind the previous one; then the scan finds nothing new.
  const from = checkpoint ? checkpoint.block + 1 : startBlock
  for await (const { to, hash, logs } of readLogs(reading, node, {
    ...wanted,
    from,
    to: final,
    maxRange: wanted.maxBlockRange,
  })) {
    const next: Checkpoint = { scope, block: to, hash }
    if (!(await store(logs, checkpoint, next))) throw anotherRun()
    checkpoint = next
  }
  if (!checkpoint) throw notFinal(from)
  return checkpoint
}

export const anotherRun = () => new SourceError('another run has read the same blocks', { temporary: true })

/** The first logs of a contract, for a trial. */
export async function firstLogs(context: SourceContext, wanted: LogsToFollow): Promise<Log[]> {
  const { node, startBlock, maxBlockRange } = wanted
  const to = Math.min(await finalBlock(context, node, wanted.confirmations), startBlock + maxBlockRange - 1)
  if (to < startBlock) throw notFinal(startBlock)
  const first = await readLogs(context, node, { ...wanted, from: startBlock, to, maxRange: maxBlockRange }).next()
  return first.done ? [] : first.value.logs
}

const notFinal = (block: number) => new SourceError(`block ${block} (startBlock) is not final yet`)

/**
 * Returns the checkpoint if its scope is the same and the chain still has its block. Otherwise deletes the data that was
 * read.
 */
async function validCheckpoint(
  reading: Reading,
  credentialId: string,
  scope: string,
  node: Node,
): Promise<Checkpoint | undefined> {
  const checkpoint = await readCheckpoint(reading.kysely, credentialId)
  if (!checkpoint) return undefined
  if (checkpoint.scope === scope) {
    const hash = await blockHash(reading, node, checkpoint.block)
    if (hash === undefined)
      throw new SourceError(`${hostOf(node)} is behind block ${checkpoint.block}, which was read before`, {
        temporary: true,
      })
    if (hash === checkpoint.hash) return checkpoint
  }
  await forgetChain(reading.kysely, credentialId)
  return undefined
}
