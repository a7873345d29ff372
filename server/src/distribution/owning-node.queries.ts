import type { Statement } from '@questboard/pg-read-pipeline'

/** It has priority, so that it does not wait for slow reads of requests. */
export const responds: Statement<{ responds: boolean }> = {
  name: 'node.responds',
  text: 'SELECT true AS responds',
  priority: true,
}

/**
 * Statements on shards do not use Citus, so generic plans work. The check fails if the address leads to another node of the
 * cluster, or to a standby.
 */
export const settingsOf = (group: number) => `SET plan_cache_mode = force_generic_plan;
  DO $$ BEGIN
    IF pg_is_in_recovery() OR NOT EXISTS (SELECT FROM pg_catalog.pg_dist_local_group WHERE groupid = ${group}) THEN
      RAISE EXCEPTION 'this server is not the primary of group ${group} of the cluster';
    END IF;
  END $$`

/** Asks the node of a space through the coordinator; the space need not exist. */
export const respondsAtOwner: Statement<{ responds: boolean }> = {
  name: 'node.responds-at-owner',
  text: 'SELECT true AS responds FROM space_versions WHERE space_id = $1',
}
