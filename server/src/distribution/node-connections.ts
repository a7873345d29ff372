import type { ClientConfig } from 'pg'
import { connectionOf } from '../database/connection-url.ts'
import type { ClusterNode } from './layout.queries.ts'

/** The group of the coordinator, which is reached at its own URL. */
export const COORDINATOR = 0

export const addressOf = ({ host, port }: Pick<ClusterNode, 'host' | 'port'>) => `${host}:${port}`

/**
 * The connection settings of a node: its URL in the settings, or those of the coordinator with its address in the
 * catalogue.
 */
export function connectionTo(
  node: ClusterNode,
  coordinator: ClientConfig,
  urls: ReadonlyMap<string, string>,
): ClientConfig {
  if (node.group === COORDINATOR) return coordinator
  const url = urls.get(addressOf(node))
  return url === undefined ? atAddress(coordinator, node) : connectionOf(url)
}

function atAddress(coordinator: ClientConfig, { host, port }: ClusterNode): ClientConfig {
  if (coordinator.connectionString === undefined) return { ...coordinator, host, port }
  const url = new URL(coordinator.connectionString)
  for (const name of ['host', 'port']) url.searchParams.delete(name)
  url.hostname = host.includes(':') ? `[${host}]` : host
  url.port = String(port)
  return { ...coordinator, connectionString: url.href }
}
