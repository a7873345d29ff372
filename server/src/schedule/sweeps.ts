import type { Kysely } from 'kysely'
import { type Clock, DAY, HOUR, MINUTE, SECOND } from '../clock.ts'
import type { DB } from '../database/tables.ts'
import { deleteUnusedClients } from './unused-clients.queries.ts'
import { deleteDeadGrants, deleteSecurityEvents } from './sign-in-sweep.queries.ts'
import { sweepSignIn } from './sign-in-sweep.ts'
import { sweepImports } from '../ingest-uploads/sweep.ts'
import { sweepHolderLists } from '../ingest/holders-sweep.ts'
import {
  CHECK_RETENTION,
  PERSISTED_DOCUMENT_RETENTION,
  QUOTA_WINDOW_RETENTION,
  REFRESH_TOKEN_LIFETIME,
  REQUEST_LOG_RETENTION,
  USAGE_RETENTION,
  UNUSED_CLIENT_RETENTION,
} from '../lifetimes.ts'
import { sweepEvents } from '../ranking/awards.ts'
import { sweepBoards } from '../ranking/boards-sweep.ts'
import { settleProfileChanges } from '../ranking/profile-changes.ts'
import { sweepQuestListings } from '../ranking/quests/listing.ts'
import { sweepRankDays } from '../ranking/rank-days.ts'
import { thinHistories } from '../ranking/starboards/history.ts'
import { sweepRankings } from '../ranking/starboards/sweep.ts'
import { sweepWebhooks } from '../webhooks/sweep.ts'
import {
  deleteChecks,
  deleteDocuments,
  deleteQuizAttempts,
  deleteQuotaWindows,
  deleteRequests,
  deleteUsage,
} from './sweeps.queries.ts'

const BATCH = 10_000

interface Sweep {
  task: string
  /** Milliseconds between two runs. All instances together run it once in this time. */
  period: number
  /**
   * @param now the time that the instances agree on: rows that expired before it are deleted
   * @param clock for the times of changes that the sweep makes
   * @returns the number of deleted rows; for starboards, of deleted rankings
   */
  run: (kysely: Kysely<DB>, now: number, clock: Clock) => Promise<number>
}

/** The retention settings of the operator. */
export interface Retention {
  /** The retention of security events, in milliseconds. */
  auditRetention: number
}

/**
 * The deletions of expired rows, in batches. Sign-ins leave few expired rows at a time, so these are deleted without batches.
 * docs/limits.md lists the retention of every table.
 */
export const sweepsFor = ({ auditRetention }: Retention): readonly Sweep[] => [
  { task: 'sweep boards', period: MINUTE, run: sweepBoards },
  { task: 'sweep starboard rankings', period: MINUTE, run: sweepRankings },
  { task: 'sweep holder lists', period: MINUTE, run: (kysely, now) => sweepHolderLists(kysely, now) },
  { task: 'sweep imports', period: MINUTE, run: sweepImports },
  { task: 'sweep quest listings', period: MINUTE, run: sweepQuestListings },
  { task: 'sweep sign-in', period: 10 * MINUTE, run: sweepSignIn },
  { task: 'thin starboard histories', period: HOUR, run: thinHistories },
  { task: 'sweep award keys', period: 10 * MINUTE, run: sweepEvents },
  {
    task: 'settle profile changes',
    period: 10 * SECOND,
    run: (kysely, _, clock) => settleProfileChanges(kysely, clock),
  },
  { task: 'sweep rank history', period: HOUR, run: sweepRankDays },
  { task: 'sweep webhooks', period: 10 * MINUTE, run: sweepWebhooks },
  { task: 'sweep quota windows', period: 10 * MINUTE, run: inBatches(deleteQuotaWindows, QUOTA_WINDOW_RETENTION) },
  { task: 'sweep credential checks', period: 10 * MINUTE, run: inBatches(deleteChecks, CHECK_RETENTION) },
  { task: 'sweep quiz attempts', period: 10 * MINUTE, run: inBatches(deleteQuizAttempts, 0) },
  { task: 'sweep persisted documents', period: HOUR, run: inBatches(deleteDocuments, PERSISTED_DOCUMENT_RETENTION) },
  { task: 'sweep requests of tokens', period: HOUR, run: inBatches(deleteRequests, REQUEST_LOG_RETENTION) },
  { task: 'sweep usage', period: HOUR, run: inBatches(deleteUsage, USAGE_RETENTION) },
  { task: 'sweep security events', period: HOUR, run: inBatches(deleteSecurityEvents, auditRetention) },
  { task: 'sweep unused clients', period: DAY, run: inBatches(deleteUnusedClients, UNUSED_CLIENT_RETENTION) },
  { task: 'sweep dead grants', period: DAY, run: inBatches(deleteDeadGrants, REFRESH_TOKEN_LIFETIME) },
]

type Deletion = (kysely: Kysely<DB>, before: Date, limit: number) => Promise<number>

function inBatches(deleteSome: Deletion, age: number): Sweep['run'] {
  return async (kysely, now) => {
    let deleted = 0
    for (;;) {
      const batch = await deleteSome(kysely, new Date(now - age), BATCH)
      deleted += batch
      if (batch < BATCH) return deleted
    }
  }
}
