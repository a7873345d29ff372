import { type Kysely, sql } from 'kysely'
import type { DB } from '../database/tables.ts'

/**
 * Those of the endpoints for which more than `most` messages would wait with what is added now. Endpoints that operators
 * made, and those whose account owns all of the spaces, starboards and credentials they are about, are never among them.
 */
export async function findFlooded(
  trx: Kysely<DB>,
  added: ReadonlyMap<string, number>,
  most: number,
): Promise<string[]> {
  const { rows } = await sql<{ endpoint_id: string }>`
    SELECT e.endpoint_id
    FROM unnest(${[...added.keys()]}::uuid[], ${[...added.values()]}::int[]) AS a (endpoint_id, count)
    JOIN webhook_endpoints e USING (endpoint_id)
    WHERE NOT e.by_operator
      AND a.count + (
        SELECT count(*) FROM (
          SELECT FROM webhook_messages m
          WHERE m.endpoint_id = e.endpoint_id AND m.next_attempt_at IS NOT NULL LIMIT ${most}
        ) AS waiting) > ${most}::int
      AND EXISTS (
        SELECT FROM unnest(e.subjects) AS subject
        CROSS JOIN LATERAL (SELECT split_part(subject, ':', 1) AS kind, substr(subject, strpos(subject, ':') + 1) AS id) AS s
        WHERE NOT EXISTS (SELECT FROM spaces o WHERE o.space_id = CASE s.kind WHEN 'space' THEN s.id::integer END
                        AND o.owner_account_id = e.account_id)
          AND NOT EXISTS (SELECT FROM starboards o WHERE s.kind = 'starboard' AND o.starboard_id = s.id
                        AND o.owner_account_id = e.account_id)
          AND NOT EXISTS (SELECT FROM credentials o LEFT JOIN spaces c ON c.space_id = o.curator_space_id
                      WHERE o.credential_id = CASE s.kind WHEN 'credential' THEN s.id::bigint END
                        AND e.account_id IN (o.owner_account_id, c.owner_account_id)))
    ORDER BY e.endpoint_id`.execute(trx)
  return rows.map((row) => row.endpoint_id)
}
