import { type Kysely, sql } from 'kysely'
import type { DB } from '../database/tables.ts'

/** A plan for a smaller table is good enough. */
const MIN_ROWS = 500

/**
 * Analyzes the tables of a server that have doubled since PostgreSQL analyzed them. Autovacuum looks for them once a minute.
 * Until then, the planner treats a table as small, and a connection keeps plans that read all of its rows.
 * @returns the names of these tables; on a node of a cluster, of its shards
 */
export async function analyzeGrownTables(kysely: Kysely<DB>): Promise<string[]> {
  const { rows } = await kysely.transaction().execute(async (trx) => {
    // Citus hides shards in pg_class. Without Citus, the setting has no effect.
    await sql`SELECT set_config('citus.override_table_visibility', 'off', true)`.execute(trx)
    // The view pg_stat_user_tables would count the scans of the indexes of each shard. ANALYZE skips tables of other owners.
    return sql<{ schema: string; name: string }>`
      SELECT n.nspname AS schema, c.relname AS name
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname IN ('public', 'ledger') AND c.relkind = 'r' AND pg_has_role(c.relowner, 'USAGE')
        AND pg_stat_get_live_tuples(c.oid) >= greatest(${MIN_ROWS}, 2 * c.reltuples)
      ORDER BY c.oid`.execute(trx)
  })
  // Leaves out a table that autovacuum or another instance analyzes now.
  for (const { schema, name } of rows) await sql`ANALYZE (SKIP_LOCKED) ${sql.id(schema, name)}`.execute(kysely)
  return rows.map(({ name }) => name)
}
