import type { Config } from '../config.ts'
import { WRITE_CONNECTIONS } from '../distribution/owning-node.ts'

/**
 * The maximum number of connections of the first process: background work and a permanent one. Commands are not
 * included.
 */
const FURTHER_CONNECTIONS = 20

/** Background work has one for reads and one for statistics. To the coordinator, the second is for one node that does not respond. */
const BACKGROUND_CONNECTIONS = 2

type Sizes = Pick<Config, 'workers' | 'readConnections' | 'poolSize' | 'nodeUrls'>

/**
 * Connections that one instance opens to its server at most. On a cluster, the service has separate connections for reads of
 * the coordinator's own shards. Each worker process and the background work also open one for each node that does not respond.
 * The sum includes one such node; each further node that hangs at the same time adds `workers` + 1 connections.
 */
export const connectionsOf = (config: Sizes, { isCoordinator }: { isCoordinator: boolean }): number => {
  const { workers, readConnections, poolSize, nodeUrls } = config
  const ordinary = FURTHER_CONNECTIONS + workers * (readConnections + poolSize)
  return ordinary + (isCoordinator && nodeUrls ? readsOf(config) + workers + BACKGROUND_CONNECTIONS : 0)
}

/**
 * Connections to a worker of a cluster: those of reads, awards and background work, and those of Citus, which keeps one for each
 * connection to the coordinator.
 */
export const connectionsToWorker = (config: Sizes): number =>
  connectionsOf(config, { isCoordinator: false }) +
  (config.nodeUrls ? readsOf(config) + config.workers * (1 + WRITE_CONNECTIONS) + BACKGROUND_CONNECTIONS : 0)

const readsOf = ({ workers, readConnections }: Sizes) => workers * readConnections
