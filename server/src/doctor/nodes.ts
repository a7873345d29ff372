import type { Client, ClientConfig } from 'pg'
import type { Config } from '../config.ts'
import { type ClusterNode, readNodes, roleInCluster } from '../distribution/layout.queries.ts'
import { addressOf, connectionTo, COORDINATOR } from '../distribution/node-connections.ts'
import { settingsOf } from '../distribution/owning-node.queries.ts'
import { connectionsToWorker } from './connections.ts'
import { readMaxConnections } from './database.queries.ts'
import { type Finding, note, ok } from './finding.ts'
import { withClient } from './with-client.ts'

type Options = Pick<Config, 'nodeUrls' | 'workers' | 'readConnections' | 'poolSize'>

/** Checks that each worker of a cluster can be reached from here, so that it executes the reads of its rows. */
export async function examineNodes(
  config: Options,
  coordinator: ClientConfig | undefined,
  timeout: number,
): Promise<Finding[]> {
  if (!coordinator) return []
  const { role, nodes } = await withClient(coordinator, timeout, clusterOf).catch(nothing) // the check of the database reports it
  if (role === 'none') return []
  const { nodeUrls } = config
  if (!nodeUrls) return [note('Nodes', 'nodes.off')]
  if (role === 'unknown hash') return [note('Nodes', 'nodes.unknown-hash')]
  const workers = nodes.filter(({ group }) => group !== COORDINATOR)
  return Promise.all(
    workers.map((node) => examineNode(node, connectionTo(node, coordinator, nodeUrls), config, timeout)),
  )
}

const nothing = () => ({ role: 'none' as const, nodes: [] })

async function clusterOf(client: Client) {
  const role = await roleInCluster(client)
  return { role, nodes: role === 'none' ? [] : await readNodes(client) }
}

async function examineNode(
  node: ClusterNode,
  connection: ClientConfig,
  config: Options,
  timeout: number,
): Promise<Finding> {
  const name = ['Node', addressOf(node)] as const
  try {
    const maxConnections = await withClient(connection, timeout, async (client) => {
      await client.query(settingsOf(node.group))
      return readMaxConnections(client)
    })
    const needed = connectionsToWorker(config)
    if (maxConnections < needed) return note(name, 'node.connections', { max: maxConnections, needed })
    return ok(name, 'node.ok', { max: maxConnections })
  } catch (error) {
    const reason = error instanceof Error ? error.message || error.name : String(error)
    return note(name, 'node.unreachable', { reason })
  }
}
