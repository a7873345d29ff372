import { type Kysely, sql } from 'kysely'
import type { DB } from '../database/tables.ts'

/** A plan for a smaller table is good enough. */
const MIN_ROWS = 500

/**
 * Analyzes the tables that have doubled since PostgreSQL analyzed them. Autovacuum looks for them once a minute. Until then, the
 * planner treats a table as small, and a connection keeps plans that read all of its rows. On a cluster, it analyzes only the
 * tables of the coordinator.
 * @returns the names of these tables
 */
export async function analyzeGrownTables(kysely: Kysely<DB>): Promise<string[]> {
  const { rows } = await sql<{ schema: string; name: string }>`
    SELECT s.schemaname AS schema, s.relname AS name
    FROM pg_stat_user_tables s JOIN pg_class c ON c.oid = s.relid
    WHERE s.schemaname IN ('public', 'ledger') AND c.relkind = 'r'
      AND s.n_live_tup >= greatest(${MIN_ROWS}, 2 * c.reltuples)
    ORDER BY s.relid`.execute(kysely)
  // Leaves out a table that autovacuum or another instance analyzes now.
  for (const { schema, name } of rows) await sql`ANALYZE (SKIP_LOCKED) ${sql.id(schema, name)}`.execute(kysely)
  return rows.map(({ name }) => name)
}
