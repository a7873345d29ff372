import type { ClientConfig } from 'pg'
import type { Config } from '../config.ts'
import { coordinatesCluster, readNodes } from '../distribution/layout.queries.ts'
import { addressOf, connectionTo, COORDINATOR } from '../distribution/node-connections.ts'
import { settingsOf } from '../distribution/owning-node.queries.ts'
import { type Finding, note, ok } from './finding.ts'
import { withClient } from './with-client.ts'

/** Checks that each worker of a cluster can be reached from here, so that it executes the reads of its rows. */
export async function examineNodes(
  { nodeUrls }: Pick<Config, 'nodeUrls'>,
  coordinator: ClientConfig | undefined,
  timeout: number,
): Promise<Finding[]> {
  if (!coordinator) return []
  const nodes = await withClient(coordinator, timeout, async (client) =>
    (await coordinatesCluster(client)) ? readNodes(client) : [],
  ).catch(() => []) // the check of the database reports it
  if (nodes.length === 0) return []
  if (!nodeUrls)
    return [note('Nodes', 'DATABASE_NODE_URLS is off, so the coordinator executes all reads', 'Remove the setting.')]
  return Promise.all(
    nodes
      .filter(({ group }) => group !== COORDINATOR)
      .map(async (node) => {
        const name = `Node ${addressOf(node)}`
        try {
          await withClient(connectionTo(node, coordinator, nodeUrls), timeout, (client) =>
            client.query(settingsOf(node.group)),
          )
          return ok(name, 'executes the reads of its rows')
        } catch (error) {
          const says = error instanceof Error ? error.message || error.name : String(error)
          return note(
            name,
            `${says}; the coordinator executes its reads`,
            'Check the network, pg_hba.conf of the node, and DATABASE_NODE_URLS.',
          )
        }
      }),
  )
}
