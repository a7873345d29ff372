import type { ClientBase } from 'pg'
import { identifier } from './catalogue.queries.ts'
import { placements, type Table } from './placements.ts'

/** Tables of the coordinator that are written often, in transactions that write no other node. */
const alone: readonly Table[] = ['quota_windows', 'token_usage', 'token_requests', 'scheduled_tasks']
const joined = Object.entries(placements)
  .filter(([table, { kind }]) => kind === 'local' && !alone.includes(table as Table))
  .map(([table]) => table)

/** The tables of the coordinator whose writes Citus does not notice yet. */
export async function readUnnoticed(client: ClientBase, hasCitus: boolean): Promise<string[]> {
  // A restored dump contains the triggers, but Citus does not manage the table that they touch.
  const managed = hasCitus
    ? `EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = to_regclass('distribution.noticed'))`
    : 'true'
  const { rows } = await client.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relname = ANY ($1)
       AND NOT (${managed} AND EXISTS (SELECT FROM pg_trigger WHERE tgrelid = pg_class.oid AND tgname = 'noticed_by_citus'))
     ORDER BY relname`,
    [joined],
  )
  return rows.map(({ name }) => name)
}

/**
 * Citus does not notice writes of the coordinator's tables. It then commits a worker's rows first, in one phase. A crash
 * could then keep an award and lose its webhook message. Therefore a trigger on each of these tables touches a table that
 * Citus manages. Citus then commits in two phases if the transaction also writes a worker.
 */
export async function noticeWrites(client: ClientBase, tables: readonly string[]): Promise<void> {
  await client.query('CREATE SCHEMA IF NOT EXISTS distribution')
  await client.query('CREATE TABLE IF NOT EXISTS distribution.noticed (never integer PRIMARY KEY)')
  await client.query(`
    SELECT citus_add_local_table_to_metadata('distribution.noticed')
    WHERE NOT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = 'distribution.noticed'::regclass)`)
  await client.query(`
    CREATE OR REPLACE FUNCTION distribution.notice() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      DELETE FROM distribution.noticed WHERE never = 0;
      RETURN NULL;
    END $$`)
  for (const table of tables)
    await client.query(`
      CREATE OR REPLACE TRIGGER noticed_by_citus AFTER INSERT OR UPDATE OR DELETE ON ${identifier(table)}
      FOR EACH STATEMENT EXECUTE FUNCTION distribution.notice()`)
}
