import type { Reading } from '../reading.ts'
import { SourceError } from '../source-error.ts'
import { applyChanges, hasNegativeBalance, readBalances } from './balances.queries.ts'
import { firstLogs, followLogs, type LogsToFollow } from './follow-logs.ts'
import { giveAll, ZERO_ADDRESS } from './holders.ts'
import type { Node } from './json-rpc.ts'
import type { Log } from './logs.ts'
import { type Standard, topicsOf, transfersIn } from './transfers.ts'

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

/**
 * Follows the transfers of a token, then passes on every address whose balance is at least the minimum. Balances are stored, so
 * that the next run reads only what is new.
 */
export async function readTransferHolders(reading: Reading, credentialId: string, token: TokenBalances): Promise<void> {
  const { kysely } = reading
  const { contract, standard, tokenIds = [], startBlock } = token
  const ids = tokenIdsOf(token)
  await followLogs(reading, credentialId, transfersOf(token), {
    scope: [contract, standard, tokenIds, startBlock],
    store: (logs, previous, next) => applyChanges(kysely, credentialId, changesOf(logs, standard, ids), previous, next),
  })
  if (await hasNegativeBalance(kysely, credentialId))
    throw new SourceError(
      'an address sent more than it received: startBlock is after the first transfer, or the token changes balances without transfers',
    )
  await giveHolders(reading, credentialId, token.minimum)
}

/** Passes on the recipients of the first transfers, without computing their balances. */
export async function readFirstRecipients(reading: Reading, token: TokenBalances): Promise<false> {
  const ids = tokenIdsOf(token)
  const logs = await firstLogs(reading, transfersOf(token))
  const recipients = logs.flatMap((log) => transfersIn(log, token.standard, ids).map(({ to }) => to))
  await reading.give([...new Set(recipients)])
  return false
}

const transfersOf = (token: TokenBalances): LogsToFollow => ({ ...token, topics: topicsOf(token.standard) })

const tokenIdsOf = ({ tokenIds }: TokenBalances): ReadonlySet<bigint> | undefined =>
  tokenIds && new Set(tokenIds.map(BigInt))

function changesOf(
  logs: readonly Log[],
  standard: Standard,
  tokenIds: ReadonlySet<bigint> | undefined,
): Map<string, bigint> {
  const changes = new Map<string, bigint>()
  const add = (address: string, amount: bigint) => {
    if (address !== ZERO_ADDRESS) changes.set(address, (changes.get(address) ?? 0n) + amount)
  }
  for (const log of logs)
    for (const { from, to, amount } of transfersIn(log, standard, tokenIds)) {
      add(from, -amount)
      add(to, amount)
    }
  return changes
}

async function giveHolders(reading: Reading, credentialId: string, minimum: string): Promise<void> {
  // An address without balance has no row, and a minimum of zero would include every address.
  const least = minimum === '0' ? '1' : minimum
  await giveAll(reading, (after, limit) => readBalances(reading.kysely, credentialId, least, after, limit))
}
