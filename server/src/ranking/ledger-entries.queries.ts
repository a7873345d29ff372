import type { Kysely } from 'kysely'
import { numberArray, textArray } from '@questboard/pg-read-pipeline'
import { nullableArray } from '../database/nullable-array.ts'
import { preparedWrite } from '../database/prepared-write.ts'
import type { DB } from '../database/tables.ts'
import type { Change, LedgerSource } from './ledger.ts'

/** A change of points that is entered in the ledger. */
export interface NewEntry {
  /** 0 without a sprint. */
  sprintId: number
  address: string
  /** Undefined if the overall board does not change. */
  overall: Change | undefined
  /** Undefined if no board of a sprint changes. */
  sprint: Change | undefined
  source: LedgerSource
  key?: string | undefined
  /** The id of the ingest token or account. */
  actor?: string | undefined
  /** A text for people. */
  reason?: string | undefined
  /** The id of the entry that this one takes back. */
  reverses?: string | undefined
  /** The id of the award that becomes available. */
  award?: string | undefined
  /** The change of the points that are not available yet. */
  pending?: number | undefined
  availableAt?: Date | undefined
  expiresAt?: Date | undefined
}

const entries = preparedWrite(
  'ledger.enter',
  `INSERT INTO ledger_entries (space_id, version, entered_at, position, key, sprint_id, address, points_before,
     points_after, sprint_before, sprint_after, source, actor, reason, reverses, award, pending, available_at,
     expires_at)
   SELECT v.space_id, v.version, $2::timestamptz, e.position, e.key, e.sprint_id, e.address, e.points_before,
          e.points_after, e.sprint_before, e.sprint_after, e.source, e.actor, e.reason, e.reverses, e.award, e.pending,
          e.available_at, e.expires_at
   FROM space_versions v
   CROSS JOIN unnest($3::text[], $4::int[], $5::text[], $6::int[], $7::int[], $8::int[], $9::int[], $10::text[],
     $11::uuid[], $12::text[], $13::text[], $14::text[], $15::int[], $16::timestamptz[], $17::timestamptz[])
     WITH ORDINALITY
     AS e (key, sprint_id, address, points_before, points_after, sprint_before, sprint_after, source, actor, reason,
           reverses, award, pending, available_at, expires_at, position)
   WHERE v.space_id = $1`,
)

/** Enters changes in the ledger at the newest version of a space, which the caller has created. Positions count from 1. */
export async function enterChanges(
  trx: Kysely<DB>,
  spaceId: number,
  changes: readonly NewEntry[],
  now: Date,
): Promise<void> {
  await entries(trx, [
    spaceId,
    now,
    nullableArray(changes.map(({ key }) => key)),
    numberArray(changes.map(({ sprintId }) => sprintId)),
    textArray(changes.map(({ address }) => address)),
    nullableArray(changes.map(({ overall }) => overall?.before)),
    nullableArray(changes.map(({ overall }) => overall?.after)),
    nullableArray(changes.map(({ sprint }) => sprint?.before)),
    nullableArray(changes.map(({ sprint }) => sprint?.after)),
    textArray(changes.map(({ source }) => source)),
    nullableArray(changes.map(({ actor }) => actor)),
    nullableArray(changes.map(({ reason }) => reason)),
    nullableArray(changes.map(({ reverses }) => reverses)),
    nullableArray(changes.map(({ award }) => award)),
    nullableArray(changes.map(({ pending }) => pending)),
    nullableArray(changes.map(({ availableAt }) => availableAt)),
    nullableArray(changes.map(({ expiresAt }) => expiresAt)),
  ])
}
