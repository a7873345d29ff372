import { isDeepStrictEqual } from 'node:util'
import { setTimeout as sleep } from 'node:timers/promises'
import type { QueryResultRow } from 'pg'
import type { Reader, Statement, Value } from '@questboard/pg-read-pipeline'
import { SECOND } from '../clock.ts'
import { type Database, openDatabase } from '../database/connection.ts'
import { unavailable } from '../errors.ts'
import type { Logger } from '../logging/log.ts'
import { failedRead } from './failed-read.ts'
import { type ClusterNode, type Layout, readLayout, readNodes, roleInCluster } from './layout.queries.ts'
import { addressOf, connectionTo, COORDINATOR } from './node-connections.ts'
import { type Locate, locatorOf, readsShards } from './owned-statement.ts'
import { respondsAtOwner } from './owning-node.queries.ts'
import { openOwningNode, type OwningNode, type OwningNodeState, type Counts } from './owning-node.ts'

/** The reads of the request path, and awards. On a cluster, the nodes that own the rows execute them. */
export interface Owners {
  readonly reader: Pick<Database, 'read' | 'readShared' | 'reach' | 'reachAll' | 'owner'>
  /** The state of each node, for metrics. */
  states(): OwningNodeState[]
  /** The nodes besides the coordinator that are in use, for background work on their shards. */
  others(): Pick<OwningNode, 'name' | 'kysely'>[]
  /** Called when the service begins to stop: from now on, closes all connections that wait for a node, after a short time. */
  beginStop(): void
  close(): Promise<void>
}

export interface OwnersOptions {
  database: Database
  /** URLs of nodes by their addresses in the catalogue; undefined if the coordinator executes all reads. */
  nodeUrls: ReadonlyMap<string, string> | undefined
  readConnections: number
  /** See MAX_WAIT. */
  maxWait?: number
  log: Logger
}

/** Interval of comparisons of the nodes with the catalogue. */
const WATCH_INTERVAL = SECOND
/** Enough to find an id for each shard, unless a table has thousands. */
const MAX_TRIED_IDS = 10_000
/** Pause between two reads of the catalogue after failures. */
const REFRESH_PAUSE = SECOND / 4
/**
 * While a node is silent, milliseconds after which the connection of a statement to the coordinator is closed. The statement may
 * wait for the node, and this frees the connection for requests about other nodes.
 */
const MAX_WAIT = 10 * SECOND
/**
 * Connections that are closed for each node while it hangs. Their statements remain at the coordinator until the node
 * responds, and must not use up its connections.
 */
const MAX_ENDED = 8
/** The time after which connections that wait are closed during a stop. Statements of other nodes can end within it. */
const MAX_WAIT_AT_STOP = 2 * SECOND

/** Without a cluster, reads use the database directly. */
export async function readAtOwners(options: OwnersOptions): Promise<Owners> {
  const { database, nodeUrls, log } = options
  const role = await roleInCluster(database.pool)
  if (role === 'coordinator' && nodeUrls) return openOwners(options, nodeUrls)
  if (role === 'unknown hash')
    log.warn({}, 'this cluster hashes values in an unknown way; the coordinator executes all reads')
  const reach: Database['reach'] = (statement, values) =>
    role === 'none' ? database.reach(statement, values) : database.readShared(statement, values)
  return {
    reader: { ...database, reach },
    states: () => [],
    others: () => [],
    beginStop: () => {},
    close: async () => {},
  }
}

async function openOwners(
  { database, readConnections, maxWait = MAX_WAIT, log }: OwnersOptions,
  nodeUrls: ReadonlyMap<string, string>,
): Promise<Owners> {
  const stopping = new AbortController()
  const { signal } = stopping
  let layout: Layout = { nodes: [], tables: new Map() }
  let locators = new Map<string, Locate | undefined>()
  let nodes = new Map<number, OwningNode>()
  const closing = new Set<Promise<void>>()
  /** By address, so that a node keeps its counts when it is opened again. */
  const counts = new Map<string, Counts>()

  const open = (node: ClusterNode): OwningNode => {
    const connection = connectionTo(node, database.connection, nodeUrls)
    const name = addressOf(node)
    const own = counts.get(name) ?? { answered: 0, turnedAway: 0, refused: 0, committed: 0 }
    counts.set(name, own)
    const openFallback = () => openDatabase({ connection: database.connection, readConnections: 1, log })
    return openOwningNode({ group: node.group, name, counts: own, connection, readConnections, openFallback, log })
  }

  const use = (found: Layout): void => {
    const before = new Map(layout.nodes.map((node) => [node.group, node]))
    const kept = new Map<number, OwningNode>()
    for (const node of found.nodes) {
      const same = isDeepStrictEqual(before.get(node.group), node) ? nodes.get(node.group) : undefined
      kept.set(node.group, same ?? open(node))
    }
    for (const [group, node] of nodes)
      if (kept.get(group) !== node) {
        const closed = node.close().finally(() => closing.delete(closed))
        closing.add(closed)
      }
    layout = found
    locators = new Map()
    nodes = kept
  }

  let refreshing: Promise<void> | undefined
  let lastError: string | undefined
  const readCatalogue = (): Promise<void> =>
    readLayout(database.pool)
      .then((found) => {
        lastError = undefined
        if (!signal.aborted) use(found)
      })
      .catch((error: unknown) => {
        if (lastError !== String(error))
          log.warn({ err: error }, 'the placement of the tables was not read; the coordinator executes what fails')
        lastError = String(error)
      })
  /** Reads the catalogue again. Until then, the coordinator executes reads that fail at a node. */
  const refresh = (): void => {
    refreshing ??= readCatalogue()
      .then(() => sleep(REFRESH_PAUSE, undefined, { signal, ref: false }))
      .catch(() => {}) // only an abort ends it early
      .finally(() => (refreshing = undefined))
  }

  const watch = async (): Promise<void> => {
    while (!signal.aborted) {
      await sleep(WATCH_INTERVAL, undefined, { signal, ref: false }).catch(() => {}) // only an abort ends it early
      if (signal.aborted) return
      const found = await readNodes(database.pool).catch(() => layout.nodes)
      if (!isDeepStrictEqual(found, layout.nodes)) refresh()
    }
  }

  const findHanging = () => nodes.values().find(({ isHanging }) => isHanging)
  const reachAll = () => {
    const hanging = findHanging()
    if (hanging) throw unavailable(new Error(`the node ${hanging.name} does not respond`))
  }

  let limits = { wait: maxWait, count: MAX_ENDED }
  /** The connections that were closed for each node that hangs, by its name. */
  let ended = new Map<string, number>()
  const attend = () => {
    for (const node of nodes.values()) if (node.isSilent) askCoordinator(node)
    const hanging = [...nodes.values()].filter(({ isHanging }) => isHanging)
    ended = new Map(hanging.map(({ name }) => [name, ended.get(name) ?? 0]))
    // Which node a connection waits for is unknown, so each counts for the first node that has not reached its limit.
    for (const [name, before] of ended)
      ended.set(
        name,
        before + database.endWaiting(limits.wait, limits.count - before, `the node ${name} does not respond`),
      )
  }
  const attending = setInterval(attend, WATCH_INTERVAL).unref()
  /** Finds out whether the coordinator gets a response from a node, because requests may not read this node. */
  const askCoordinator = (node: OwningNode): void => {
    for (let id = 1; id <= MAX_TRIED_IDS; id++)
      if (ownerOf(respondsAtOwner, [id])?.node === node) {
        node.fallback.read((reader) => reader.read(respondsAtOwner, [id])).catch(() => {}) // then the node still hangs
        return
      }
  }

  const ownerOf = <Row extends QueryResultRow>(statement: Statement<Row>, values: readonly Value[]) => {
    let locate = locators.get(statement.name)
    if (!locate && !locators.has(statement.name)) locators.set(statement.name, (locate = locatorOf(statement, layout)))
    const owned = locate?.(values)
    const node = owned && nodes.get(owned.group)
    return owned && node ? { node, statement: owned.statement as Statement<Row> } : undefined
  }

  /** Executes a read at its node, or at the coordinator if the node is not in use or does not have the shards. */
  const read = async <Row extends QueryResultRow, Rows extends readonly Row[]>(
    statement: Statement<Row>,
    values: readonly Value[],
    ask: (reader: Reader, statement: Statement<Row>) => Promise<Rows>,
  ): Promise<Rows> => {
    const owner = ownerOf(statement, values)
    if (!owner) {
      if (findHanging() && readsShards(statement, layout)) reachAll()
      return ask(database, statement)
    }
    const { node } = owner
    const atCoordinator = () => {
      if (!node.isSilent) return ask(database, statement)
      return node.fallback
        .read((reader) => ask(reader, statement))
        .catch((error: unknown) => {
          if (failedRead(error) === 'node') node.counts.refused++
          throw error
        })
    }
    if (!node.inUse) return atCoordinator()
    try {
      const rows = await ask(node.reader, owner.statement)
      node.counts.answered++
      return rows
    } catch (error) {
      const failed = failedRead(error)
      if (failed === 'statement') throw error
      node.counts.turnedAway++
      refresh()
      if (failed === 'placement') return ask(database, statement)
      node.disable(error)
      return atCoordinator()
    }
  }

  await readCatalogue()
  await Promise.all([...nodes.values()].map((node) => node.tried))
  const watching = watch()
  return {
    reader: {
      read: (statement, values) => read(statement, values, (reader, own) => reader.read(own, values)),
      readShared: (statement, values) => read(statement, values, (reader, own) => reader.readShared(own, values)),
      reach: (statement, values) => read(statement, values, (reader, own) => reader.readShared(own, values)),
      reachAll,
      owner: (statement, values) => ownerOf(statement, values)?.node.writing,
    },
    states: () => [...nodes.values()].map((node) => node.state()),
    others: () => [...nodes.values()].filter(({ group, inUse }) => inUse && group !== COORDINATOR),
    beginStop() {
      limits = { wait: Math.min(maxWait, MAX_WAIT_AT_STOP), count: Infinity }
    },
    async close() {
      stopping.abort()
      clearInterval(attending)
      if (findHanging()) database.endWaiting(0, Infinity, 'the service stops')
      await watching
      await refreshing
      await Promise.all([...closing, ...[...nodes.values()].map((node) => node.close())])
    },
  }
}
