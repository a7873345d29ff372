import type { QueryResultRow } from 'pg'
import type { Statement } from '@questboard/pg-read-pipeline'
import { identifier } from './catalogue.queries.ts'

/**
 * The same statement, in which each table name is a query of its shard. PostgreSQL plans it as if it named the shards. After
 * a shard has moved, its old node keeps a copy for a while. So the statement checks the placement in the same snapshot, and
 * fails with a division by zero if the shard has moved.
 */
export function onShards(
  { name, text, decode, priority = false }: Statement<QueryResultRow>,
  tables: ReadonlyMap<string, number>,
  at: { shard: number; group: number },
): Statement<QueryResultRow> {
  const columns = /\bxmin\b/.test(text) ? '*, xmin' : '*'
  const shards = [...tables].map(
    ([table, shard]) =>
      `${identifier(table)} AS NOT MATERIALIZED (SELECT ${columns} FROM public.${identifier(`${table}_${shard}`)})`,
  )
  return {
    name: `${name}@${at.shard}`,
    text: `WITH ${shards.join(', ')} SELECT q.* FROM (${text}) AS q
      WHERE (SELECT 1 / count(*) FROM pg_catalog.pg_dist_placement
             WHERE shardid = ${at.shard} AND groupid = ${at.group} AND shardstate = 1) = 1`,
    decode,
    priority,
  }
}
