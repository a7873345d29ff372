import type { Kysely } from 'kysely'
import type { DB } from '../../database/tables.ts'
import type { Reading } from '../reading.ts'
import { SourceError } from '../source-error.ts'
import {
  applyChanges,
  type Checkpoint,
  forgetBalances,
  hasNegativeBalance,
  readBalances,
  readCheckpoint,
} from './balances.queries.ts'
import { blockHash, chainId, finalBlock } from './blocks.ts'
import { hostOf, type Node } from './json-rpc.ts'
import { readTransferLogs } from './transfer-logs.ts'
import { type Log, type Standard, transfersIn } from './transfers.ts'

export interface TokenBalances {
  node: Node
  contract: string
  standard: Standard
  tokenIds: readonly string[] | undefined
  /** In base units. */
  minimum: string
  startBlock: number
  confirmations: number
  maxBlockRange: number
}

const NOBODY = `0x${'0'.repeat(40)}`
const PAGE = 10_000

/**
 * Follows the transfers of a token to the newest block that counts as final, then hands on every address whose balance
 * is at least the minimum. Balances are kept, so that the next run reads only what is new; when the chain turns out to
 * have replaced a block that was read, everything is read again.
 */
export async function readTransferHolders(reading: Reading, credentialId: string, token: TokenBalances): Promise<void> {
  const { kysely } = reading
  const { node } = token
  const scope = JSON.stringify([
    await chainId(reading, node),
    token.contract,
    token.standard,
    token.tokenIds ?? [],
    token.startBlock,
  ])
  const final = await finalBlock(reading, node, token.confirmations)
  let checkpoint = await validCheckpoint(reading, kysely, credentialId, scope, node)
  // Another node of the same source may be behind the previous one; then the scan finds nothing new.
  const from = checkpoint ? checkpoint.block + 1 : token.startBlock
  if (!checkpoint && final < from) throw new SourceError(`block ${from} (startBlock) is not final yet`)
  const tokenIds = token.tokenIds && new Set(token.tokenIds.map(BigInt))
  const scan = { ...token, from, to: final, maxRange: token.maxBlockRange }
  for await (const { to, logs } of readTransferLogs(reading, node, scan)) {
    const hash = await blockHash(reading, node, to)
    if (hash === undefined)
      throw new SourceError(`${hostOf(node)} does not have the block ${to} of its own response`, { temporary: true })
    const next: Checkpoint = { scope, block: to, hash }
    if (!(await applyChanges(kysely, credentialId, changesOf(logs, token.standard, tokenIds), checkpoint, next)))
      throw new SourceError('another run changed the balances', { temporary: true })
    checkpoint = next
  }
  if (await hasNegativeBalance(kysely, credentialId))
    throw new SourceError(
      'an address sent more than it received: startBlock is after the first transfer, or the token changes balances without transfers',
    )
  await giveHolders(reading, kysely, credentialId, token.minimum)
}

/** The checkpoint, when it is of the same question and the chain still has its block; otherwise all is forgotten. */
async function validCheckpoint(
  reading: Reading,
  kysely: Kysely<DB>,
  credentialId: string,
  scope: string,
  node: Node,
): Promise<Checkpoint | undefined> {
  const checkpoint = await readCheckpoint(kysely, credentialId)
  if (!checkpoint) return undefined
  if (checkpoint.scope === scope) {
    const hash = await blockHash(reading, node, checkpoint.block)
    if (hash === undefined)
      throw new SourceError(`${hostOf(node)} is behind block ${checkpoint.block}, which was read before`, {
        temporary: true,
      })
    if (hash === checkpoint.hash) return checkpoint
  }
  await forgetBalances(kysely, credentialId)
  return undefined
}

function changesOf(
  logs: readonly Log[],
  standard: Standard,
  tokenIds: ReadonlySet<bigint> | undefined,
): Map<string, bigint> {
  const changes = new Map<string, bigint>()
  const add = (address: string, amount: bigint) => {
    if (address !== NOBODY) changes.set(address, (changes.get(address) ?? 0n) + amount)
  }
  for (const log of logs)
    for (const { from, to, amount } of transfersIn(log, standard, tokenIds)) {
      add(from, -amount)
      add(to, amount)
    }
  return changes
}

async function giveHolders(reading: Reading, kysely: Kysely<DB>, credentialId: string, minimum: string): Promise<void> {
  // An address without balance has no row, and a minimum of zero would mean every address.
  const least = minimum === '0' ? '1' : minimum
  for (let after = ''; ;) {
    const page = await readBalances(kysely, credentialId, least, after, PAGE)
    if (page.length > 0) await reading.give(page)
    if (page.length < PAGE) return
    after = page.at(-1) as string
  }
}
