import { Client } from 'pg'
import type { TestDatabase } from '../support/database.ts'

/**
 * Puts into a database what is asked of Citus: the tables and functions that are called, under their names. They move
 * nothing; they write down what they were asked for, and refuse what Citus refuses. What they are asked to refuse
 * besides stands in stand_in.broken.
 */
const STAND_IN = `
  CREATE SCHEMA stand_in;
  CREATE TABLE stand_in.asked (place int GENERATED ALWAYS AS IDENTITY, what text, name regclass);
  CREATE TABLE stand_in.broken (what text);
  CREATE TABLE stand_in.citus_tables (table_name regclass, citus_table_type text, distribution_column text);
  CREATE TABLE stand_in.pg_dist_local_group (groupid int);
  CREATE TABLE stand_in.pg_dist_node (groupid int, isactive bool, noderole text, shouldhaveshards bool);
  INSERT INTO stand_in.pg_dist_local_group VALUES (0);

  CREATE FUNCTION stand_in.note(what text, name regclass) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
    IF EXISTS (SELECT FROM stand_in.broken b WHERE b.what = note.what) THEN
      RAISE 'the connection to a worker was lost in %', what;
    END IF;
    INSERT INTO stand_in.asked (what, name) VALUES (what, name);
  END $$;
  CREATE FUNCTION stand_in.move(name regclass, kind text, distribution_column text) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
    IF EXISTS (SELECT FROM pg_constraint c WHERE c.contype = 'f' AND name IN (c.conrelid, c.confrelid)
               AND NOT EXISTS (SELECT FROM stand_in.citus_tables t WHERE t.table_name = c.confrelid)) THEN
      RAISE '% has foreign keys', name;
    END IF;
    INSERT INTO stand_in.citus_tables VALUES (name, kind, distribution_column);
  END $$;
  CREATE FUNCTION stand_in.create_reference_table(name regclass) RETURNS void LANGUAGE sql AS $$
    SELECT stand_in.note('reference', name), stand_in.move(name, 'reference', NULL) $$;
  CREATE FUNCTION stand_in.create_distributed_table(name regclass, distribution_column text, colocate_with text)
    RETURNS void LANGUAGE sql AS $$
    SELECT stand_in.note('distributed', name), stand_in.move(name, 'distributed', distribution_column) $$;
  CREATE FUNCTION stand_in.truncate_local_data_after_distributing_table(name regclass) RETURNS void LANGUAGE plpgsql AS $$
    BEGIN
      IF NOT EXISTS (SELECT FROM stand_in.citus_tables WHERE table_name = name) THEN
        RAISE '% is no distributed relation', name;
      END IF;
      IF EXISTS (SELECT FROM pg_constraint WHERE contype = 'f' AND confrelid = name
                 AND conrelid NOT IN (SELECT table_name FROM stand_in.citus_tables)) THEN
        RAISE 'a local table refers to %', name;
      END IF;
      PERFORM stand_in.note('emptied', name);
      EXECUTE format('TRUNCATE %s CASCADE', name);
    END $$;
`

export interface StandIn {
  /** A connection that uses the stand-in under the names of Citus. */
  client: Client
  setVersion(version: string): Promise<void>
  setNodes(...nodes: { groupid: number; isactive?: boolean; shouldhaveshards?: boolean }[]): Promise<void>
  /** Calls of this kind fail, until other ones are named. */
  breakAt(what?: 'reference' | 'distributed' | 'emptied'): Promise<void>
  /** The tables that calls of a kind were about, in their order. */
  asked(what: 'reference' | 'distributed' | 'emptied'): Promise<string[]>
}

/** @param database without open connections, because existing connections do not use the stand-in */
export async function standInForCitus(database: TestDatabase): Promise<StandIn> {
  const { connection } = database
  const maker = new Client(connection)
  await maker.connect()
  await maker.query(STAND_IN)
  await maker.query(`ALTER DATABASE ${connection.database} SET search_path = public, stand_in`)
  await maker.query(`INSERT INTO pg_extension (oid, extname, extowner, extnamespace, extrelocatable, extversion)
    SELECT 4000000000, 'citus', oid, 'stand_in'::regnamespace, false, '12.1-1' FROM pg_roles WHERE rolname = current_user`)
  await maker.end()
  const client = new Client(connection)
  await client.connect()
  return {
    client,
    setVersion: async (version) =>
      void (await database.query(`UPDATE pg_extension SET extversion = $1 WHERE extname = 'citus'`, [version])),
    async setNodes(...nodes) {
      await database.query('DELETE FROM stand_in.pg_dist_node')
      for (const { groupid, isactive = true, shouldhaveshards = true } of nodes)
        await database.query(`INSERT INTO stand_in.pg_dist_node VALUES ($1, $2, 'primary', $3)`, [
          groupid,
          isactive,
          shouldhaveshards,
        ])
    },
    async breakAt(what) {
      await database.query('DELETE FROM stand_in.broken')
      if (what) await database.query('INSERT INTO stand_in.broken VALUES ($1)', [what])
    },
    asked: async (what) =>
      (
        await database.query<{ name: string }>(
          'SELECT c.relname AS name FROM stand_in.asked a JOIN pg_class c ON c.oid = a.name WHERE what = $1 ORDER BY place',
          [what],
        )
      ).map(({ name }) => name),
  }
}
