import { type Kysely, sql } from 'kysely'
import { textArray } from '@questboard/pg-read-pipeline'
import type { DB } from '../database/tables.ts'
import { giftKeysOf, REPLAY_REVERSAL } from './gift-keys.ts'

/** The stored logs of a credential. */
export interface LogList {
  credentialId: string
  /** Distinguishes the list from an earlier one of the same credential. */
  beganAt: Date
  /** The position of the last log. */
  last: number
  /** The chain no longer has logs of earlier scans. */
  completeScan: number
}

export async function findLogLists(trx: Kysely<DB>, credentialIds: readonly string[]): Promise<LogList[]> {
  if (credentialIds.length === 0) return []
  const { rows } = await sql<LogList>`
    SELECT credential_id::text AS "credentialId", began_at AS "beganAt", last_position AS last,
      complete_scan AS "completeScan"
    FROM chain_log_lists WHERE credential_id = ANY(${textArray(credentialIds)}::bigint[])`.execute(trx)
  return rows
}

/** The position up to which a rule has counted logs. */
export interface LogRun {
  ruleId: string
  credentialId: string
  /** Null if the credential had no list. */
  listBeganAt: Date | null
  /** Logs of earlier blocks give no points. */
  countsFrom: Date
  /** The position up to which logs are counted. */
  position: number
}

export async function readLogRuns(trx: Kysely<DB>, spaceId: number): Promise<LogRun[]> {
  const { rows } = await sql<LogRun>`
    SELECT rule_id AS "ruleId", credential_id::text AS "credentialId", list_began_at AS "listBeganAt",
      counts_from AS "countsFrom", position
    FROM rule_log_runs WHERE space_id = ${spaceId}`.execute(trx)
  return rows
}

export async function storeLogRun(trx: Kysely<DB>, spaceId: number, run: LogRun): Promise<void> {
  const { ruleId, credentialId, listBeganAt, countsFrom, position } = run
  await sql`
    INSERT INTO rule_log_runs (space_id, rule_id, credential_id, list_began_at, counts_from, position)
    VALUES (${spaceId}, ${ruleId}, ${credentialId}, ${listBeganAt}, ${countsFrom}, ${position})
    ON CONFLICT (space_id, rule_id) DO UPDATE SET credential_id = excluded.credential_id,
      list_began_at = excluded.list_began_at, counts_from = excluded.counts_from, position = excluded.position
  `.execute(trx)
}

/** A log of an event, about a member. */
export interface PastLog {
  /** Identifies the log without naming the member. */
  ref: string
  credentialId: string
  address: string
  /** A whole number; null without an amount. */
  amount: string | null
  happenedAt: Date
}

const columns = sql`
  l.ref::text AS ref, l.credential_id::text AS "credentialId", l.address, l.amount::text AS amount,
  l.happened_at AS "happenedAt"`

export interface NextLog extends PastLog {
  position: number
  /** Whether it had an earlier position, at which rules may have counted it. */
  returned: boolean
}

/** The next logs of a list in the order of positions. */
export async function logsAfter(
  trx: Kysely<DB>,
  { credentialId, completeScan }: LogList,
  { after, upTo, since, limit }: { after: number; upTo: number; since: Date; limit: number },
): Promise<NextLog[]> {
  const { rows } = await sql<NextLog>`
    SELECT ${columns}, l.position, l.returned FROM chain_logs l
    WHERE l.credential_id = ${credentialId}::bigint AND l.position > ${after} AND l.position <= ${upTo}
      AND l.scan >= ${completeScan} AND l.happened_at >= ${since}
    ORDER BY l.position LIMIT ${limit}`.execute(trx)
  return rows
}

/** The refs of the given logs for which a rule gave points, if no replay has reversed the points. */
export async function countedAmong(
  trx: Kysely<DB>,
  { spaceId, ruleId }: { spaceId: number; ruleId: string },
  logs: readonly PastLog[],
): Promise<Set<string>> {
  if (logs.length === 0) return new Set()
  const { rows } = await sql<{ ref: string }>`
    SELECT split_part(e.key, E'\\t', 4) AS ref FROM ledger_entries e
    WHERE e.space_id = ${spaceId} AND e.source = 'rule'
      AND e.address = ANY(${textArray([...new Set(logs.map(({ address }) => address))])}::text[])
      AND starts_with(e.key, ${giftKeysOf(ruleId)})
      AND split_part(e.key, E'\\t', 4) = ANY(${textArray(logs.map(({ ref }) => ref))}::text[])
      AND NOT EXISTS (
        SELECT FROM ledger_entries r
        WHERE r.space_id = ${spaceId} AND r.source = 'reversal' AND r.reverses = e.version || '-' || e.position
          AND starts_with(r.key, ${REPLAY_REVERSAL}))`.execute(trx)
  return new Set(rows.map(({ ref }) => ref))
}

/** The logs of the given lists up to their positions, in the order of members. A cursor has no parameters: use literals. */
export const selectPastLogs = (lists: readonly (LogList & { upTo: number })[], since: Date) => sql<PastLog>`
  SELECT ${columns} FROM chain_logs l
  WHERE (${sql.join(
    lists.map(
      ({ credentialId, completeScan, upTo }) => sql`
        (l.credential_id = ${sql.lit(credentialId)}::bigint AND l.position <= ${sql.lit(upTo)}
          AND l.scan >= ${sql.lit(completeScan)})`,
    ),
    sql` OR `,
  )}) AND l.happened_at >= ${sql.lit(since.toISOString())}
  ORDER BY l.address COLLATE "C"`

/**
 * The given credentials that have or had a source of logs, and whether their last log has an amount (true without logs).
 */
export async function credentialsWithLogs(
  trx: Kysely<DB>,
  credentialIds: readonly string[],
): Promise<Map<string, { amounts: boolean }>> {
  if (credentialIds.length === 0) return new Map()
  const sources = await sql<{ id: string }>`
    SELECT credential_id::text AS id FROM credential_sources
    WHERE credential_id = ANY(${textArray(credentialIds)}::bigint[]) AND source ->> 'kind' = 'EVM_EVENT'`.execute(trx)
  const lists = await sql<{ id: string; amounts: boolean }>`
    SELECT c.credential_id::text AS id, l.position IS NULL OR l.amount IS NOT NULL AS amounts
    FROM chain_log_lists c
    LEFT JOIN chain_logs l ON l.credential_id = c.credential_id AND l.position = c.last_position
    WHERE c.credential_id = ANY(${textArray(credentialIds)}::bigint[])`.execute(trx)
  return new Map([
    ...sources.rows.map(({ id }) => [id, { amounts: true }] as const),
    ...lists.rows.map(({ id, amounts }) => [id, { amounts }] as const),
  ])
}
