import type { Kysely } from 'kysely'
import { SECOND } from '../clock.ts'
import { type Database, openDatabase } from '../database/connection.ts'
import type { DB } from '../database/tables.ts'
import type { Logger } from '../logging/log.ts'
import { type ClusterNode, readNodes, roleInCluster } from './layout.queries.ts'
import { addressOf, connectionTo, COORDINATOR } from './node-connections.ts'

/** The nodes of a cluster besides the coordinator, for background work that each of them does on its own shards. */
export interface OtherNodes {
  /** The nodes of now, with a connection to each; none without a cluster. A node that hangs fails within seconds. */
  list(): Promise<OtherNode[]>
  close(): Promise<void>
}

export interface OtherNode {
  /** host:port */
  name: string
  kysely: Kysely<DB>
}

export interface OtherNodesOptions {
  database: Pick<Database, 'pool' | 'connection'>
  /** URLs of nodes by their addresses in the catalogue; undefined if only the coordinator is used. */
  nodeUrls: ReadonlyMap<string, string> | undefined
  log: Logger
}

/** One for each node, because background work runs one statement at a time there. */
export const BACKGROUND_CONNECTIONS = 1
const PROBE = SECOND

export function openOtherNodes({ database, nodeUrls, log }: OtherNodesOptions): OtherNodes {
  let isCluster: boolean | undefined
  const opened = new Map<string, Database>()
  const open = (node: ClusterNode) =>
    openDatabase({
      connection: connectionTo(node, database.connection, nodeUrls ?? new Map()),
      readConnections: 1, // not used
      poolSize: BACKGROUND_CONNECTIONS,
      log,
      lifeline: { probe: PROBE },
    })

  return {
    async list() {
      if (!nodeUrls) return []
      isCluster ??= (await roleInCluster(database.pool)) !== 'none'
      if (!isCluster) return []
      const found = (await readNodes(database.pool)).filter(({ group }) => group !== COORDINATOR)
      const nodes = new Map(found.map((node) => [addressOf(node), node]))
      for (const [name, node] of opened)
        if (!nodes.has(name)) {
          opened.delete(name)
          await node.close()
        }
      for (const [name, node] of nodes) if (!opened.has(name)) opened.set(name, open(node))
      return [...opened].map(([name, { kysely }]) => ({ name, kysely }))
    },
    async close() {
      await Promise.all([...opened.values()].map((node) => node.close()))
    },
  }
}
