import { type Kysely, sql } from 'kysely'
import type { Pool } from 'pg'
import type { DB } from '../database/tables.ts'

export interface UsageCount {
  tokenId: string
  /** YYYY-MM-DD, UTC. */
  day: string
  operation: string
  status: number
  requests: number
  lastUsedAt: Date
  /** The number of requests in each range of durations (latency.ts); empty in rows that are older than the ranges. */
  latencies: number[]
}

export async function addUsage(pool: Pool, counts: readonly UsageCount[]): Promise<void> {
  const column = <Key extends keyof UsageCount>(key: Key) => counts.map((count) => count[key])
  await pool.query(
    `INSERT INTO token_usage AS u (token_id, day, operation, status, requests, last_used_at, latencies)
     SELECT token_id, day, operation, status, requests, last_used_at, latencies::bigint[]
     FROM unnest($1::uuid[], $2::date[], $3::text[], $4::smallint[], $5::bigint[], $6::timestamptz[], $7::text[])
       AS new (token_id, day, operation, status, requests, last_used_at, latencies)
     ON CONFLICT (token_id, day, operation, status) DO UPDATE
     SET requests = u.requests + excluded.requests, last_used_at = greatest(u.last_used_at, excluded.last_used_at),
         latencies = add_counts(u.latencies, excluded.latencies)`,
    [
      column('tokenId'),
      column('day'),
      column('operation'),
      column('status'),
      column('requests'),
      column('lastUsedAt'),
      // An array of arrays would be one list.
      counts.map(({ latencies }) => `{${latencies.join(',')}}`),
    ],
  )
}

/** Usage by day, operation and HTTP status, newest day first. */
export async function readUsage(db: Kysely<DB>, tokenId: string, sinceDay: string): Promise<UsageCount[]> {
  return db
    .selectFrom('token_usage')
    .select((row) => [
      'token_id as tokenId',
      row.cast<string>('day', 'text').as('day'),
      'operation',
      'status',
      'requests',
      'last_used_at as lastUsedAt',
      sql<number[]>`coalesce(latencies, '{}')::int[]`.as('latencies'),
    ])
    .where('token_id', '=', tokenId)
    .where('day', '>=', sinceDay as unknown as Date)
    .orderBy('day', 'desc')
    .orderBy('operation')
    .orderBy('status')
    .execute()
}
