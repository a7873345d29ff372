import type { ClientBase, Pool } from 'pg'
import { hashOf } from './value-hash.ts'

/** A shard of a table, on the node of one group. */
export interface PlacedShard {
  id: number
  /** The lowest and the highest hash of its values. */
  from: number
  to: number
  group: number
}

export type PlacedTable =
  | { kind: 'local' }
  | { kind: 'everywhere'; shard: number }
  /** Tables of one colocation have their shards on the same nodes. Without a column, all rows are in one shard. */
  | { kind: 'owned'; colocation: number; column?: { name: string; type: string }; shards: readonly PlacedShard[] }

export interface ClusterNode {
  group: number
  host: string
  port: number
}

/** The nodes of the cluster, and the shards of each table. */
export interface Layout {
  nodes: readonly ClusterNode[]
  tables: ReadonlyMap<string, PlacedTable>
}

const [LOWEST, HIGHEST] = [-2_147_483_648, 2_147_483_647]

/** `unknown hash`: a coordinator for whose values this process cannot compute the shards. */
export type RoleInCluster = 'none' | 'coordinator' | 'unknown hash'

export async function roleInCluster(database: Pool | ClientBase): Promise<RoleInCluster> {
  const { rows } = await database.query<{ citus: boolean; hash: number }>(
    `SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') AS citus, hashtext('questboard') AS hash`,
  )
  const [found] = rows
  if (!found?.citus) return 'none'
  const groups = await database.query<{ groupid: number }>('SELECT groupid FROM pg_dist_local_group')
  if (groups.rows[0]?.groupid !== 0) return 'none'
  return found.hash === hashOf('text', 'questboard') ? 'coordinator' : 'unknown hash'
}

interface TableRow {
  name: string
  method: string | null
  model: string | null
  colocation: number | null
  column: string | null
  type: string | null
  /** Number, lowest and highest hash, and group of each placement. */
  placements: [number, number | null, number | null, number][] | null
}

export async function readLayout(pool: Pool): Promise<Layout> {
  const nodes = await readNodes(pool)
  const { rows } = await pool.query<TableRow>(
    `SELECT c.relname AS name, p.partmethod::text AS method, p.repmodel::text AS model, p.colocationid AS colocation,
            column_to_column_name(p.logicalrelid, p.partkey) AS column,
            (SELECT format_type(k.distributioncolumntype, NULL) FROM pg_dist_colocation k
             WHERE k.colocationid = p.colocationid) AS type,
            (SELECT json_agg(json_build_array(s.shardid, h.low, h.high, d.groupid) ORDER BY h.low, d.groupid)
             FROM pg_dist_shard s JOIN pg_dist_placement d ON d.shardid = s.shardid AND d.shardstate = 1
             CROSS JOIN LATERAL (SELECT CASE WHEN p.partmethod = 'h' THEN s.shardminvalue::int END AS low,
                                        CASE WHEN p.partmethod = 'h' THEN s.shardmaxvalue::int END AS high) h
             WHERE s.logicalrelid = p.logicalrelid) AS placements
     FROM pg_class c LEFT JOIN pg_dist_partition p ON p.logicalrelid = c.oid
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm', 'f')`,
  )
  return { nodes, tables: new Map(rows.map((row) => [row.name, placedTable(row)])) }
}

function placedTable({ method, model, colocation, column, type, placements }: TableRow): PlacedTable {
  const shards = (placements ?? []).map(([id, from, to, group]) => ({
    id,
    from: from ?? LOWEST,
    to: to ?? HIGHEST,
    group,
  }))
  const [first] = shards
  if (!first || colocation === null) return { kind: 'local' }
  if (model === 't') return { kind: 'everywhere', shard: first.id }
  // If a shard has copies on several nodes, the coordinator reads the table.
  const isOwned = model === 's' && colocation !== 0 && new Set(shards.map(({ id }) => id)).size === shards.length
  if (!isOwned) return { kind: 'local' }
  if (method === 'n') return { kind: 'owned', colocation, shards }
  if (method !== 'h' || column === null || type === null) return { kind: 'local' }
  return { kind: 'owned', colocation, column: { name: column, type }, shards }
}

/** The nodes that serve rows now. */
export async function readNodes(database: Pool | ClientBase): Promise<ClusterNode[]> {
  const { rows } = await database.query<ClusterNode>(
    `SELECT groupid AS group, nodename AS host, nodeport AS port FROM pg_dist_node
     WHERE isactive AND noderole = 'primary' ORDER BY groupid`,
  )
  return rows
}
