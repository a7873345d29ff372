import type { Kysely } from 'kysely'
import type { DB } from '../database/tables.ts'
import { type SealReport, verifySeals } from './seals.ts'
import {
  brokenChains,
  type Differences,
  type LedgerSummary,
  pendingPoints,
  summarize,
  wrongBalances,
} from './verify.queries.ts'

export interface LedgerReport extends LedgerSummary {
  chains: Differences
  balances: Differences
  pending: { expected: number; found: number }
  seals: SealReport
}

/**
 * Rebuilds the boards of a space from its ledger and compares them with the stored boards, and the months with their seals,
 * in one snapshot.
 * @returns undefined if the space does not exist
 */
export async function verifyLedger(kysely: Kysely<DB>, spaceId: number): Promise<LedgerReport | undefined> {
  return kysely
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (trx) => {
      const summary = await summarize(trx, spaceId)
      if (!summary) return undefined
      const chains = await brokenChains(trx, spaceId)
      const balances = await wrongBalances(trx, spaceId)
      const pending = await pendingPoints(trx, spaceId)
      return { ...summary, chains, balances, pending, seals: await verifySeals(trx, spaceId) }
    })
}
