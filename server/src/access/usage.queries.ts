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

export interface DayOfAll {
  /** YYYY-MM-DD, UTC. */
  day: string
  statuses: { status: number; requests: number }[]
  latencies: number[]
}

/** The requests of all tokens by day, oldest first: by HTTP status, and by range of durations. */
export async function readUsageOfAll(db: Kysely<DB>, sinceDay: string): Promise<DayOfAll[]> {
  const statuses = await sql<{ day: string; status: number; requests: number }>`
    SELECT day::text AS day, status, sum(requests)::float8 AS requests FROM token_usage WHERE day >= ${sinceDay}::date
    GROUP BY day, status ORDER BY day, status`.execute(db)
  const ranges = await sql<{ day: string; place: number; requests: number }>`
    SELECT day::text AS day, place::int AS place, sum(counted)::float8 AS requests
    FROM token_usage u, unnest(u.latencies) WITH ORDINALITY AS l (counted, place) WHERE day >= ${sinceDay}::date
    GROUP BY day, place ORDER BY day, place`.execute(db)
  const latencies = Map.groupBy(ranges.rows, ({ day }) => day)
  return [...Map.groupBy(statuses.rows, ({ day }) => day)].map(([day, counts]) => ({
    day,
    statuses: counts.map(({ status, requests }) => ({ status, requests })),
    latencies: (latencies.get(day) ?? []).map(({ requests }) => requests),
  }))
}
