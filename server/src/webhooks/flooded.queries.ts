import { type Kysely, sql } from 'kysely'
import type { DB } from '../database/tables.ts'
import { ownersOf } from './owners.queries.ts'

/**
 * The endpoints that would have more than `max` waiting messages with the added ones. Endpoints of operators, and
 * endpoints whose account owns or manages all of their spaces, starboards and credentials, are exempt.
 */
export async function findFlooded(trx: Kysely<DB>, added: ReadonlyMap<string, number>, max: number): Promise<string[]> {
  const { rows } = await sql<{ endpoint_id: string; account_id: string; subjects: string[] }>`
    SELECT e.endpoint_id, e.account_id, e.subjects
    FROM unnest(${[...added.keys()]}::uuid[], ${[...added.values()]}::int[]) AS a (endpoint_id, count)
    JOIN webhook_endpoints e USING (endpoint_id)
    WHERE NOT e.by_operator
      AND a.count + (
        SELECT count(*) FROM (
          SELECT FROM webhook_messages m
          WHERE m.endpoint_id = e.endpoint_id AND m.next_attempt_at IS NOT NULL LIMIT ${max}
        ) AS waiting) > ${max}::int
    ORDER BY e.endpoint_id`.execute(trx)
  if (rows.length === 0) return []
  const owners = await ownersOf(trx, [...new Set(rows.flatMap(({ subjects }) => subjects))])
  return rows
    .filter(({ account_id, subjects }) => !subjects.every((subject) => owners.get(subject)?.includes(account_id)))
    .map(({ endpoint_id }) => endpoint_id)
}
