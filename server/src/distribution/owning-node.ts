import { setTimeout as sleep } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import type { ClientConfig } from 'pg'
import type { Reader } from '@questboard/pg-read-pipeline'
import { openDatabase, type WritingNode } from '../database/connection.ts'
import { MINUTE, SECOND } from '../clock.ts'
import type { DB } from '../database/tables.ts'
import type { Logger } from '../logging/log.ts'
import { isSilence } from './failed-read.ts'
import { COORDINATOR } from './node-connections.ts'
import { type FallbackOptions, type FallbackReads, openFallbackReads } from './fallback-reads.ts'
import { responds, settingsOf } from './owning-node.queries.ts'

/** A node of the cluster that executes reads of its own shards, and coordinates transactions about them. */
export interface OwningNode {
  readonly group: number
  readonly name: string
  readonly reader: Reader
  readonly kysely: Kysely<DB>
  /** Whether reads may use it: it responds, and is the node of this group. */
  readonly inUse: boolean
  /** Resolves when the node has responded or failed for the first time, or has been silent for a second. */
  readonly tried: Promise<void>
  /** Whether the node gave no response when it was tried last. */
  readonly isSilent: boolean
  /** Whether it is silent, and the coordinator got no response from it since, as far as this process knows. */
  readonly isHanging: boolean
  readonly counts: Counts
  /** Undefined for the coordinator, while the node is not in use, and for a minute after it has refused a transaction. */
  readonly writing: WritingNode | undefined
  /** Reads through the coordinator, for a silent node. */
  readonly fallback: FallbackReads
  /** Reads do not use the node until it responds again. */
  disable(reason: unknown): void
  state(): OwningNodeState
  close(): Promise<void>
}

export interface Counts {
  /** Reads that the node executed. */
  answered: number
  /** Reads that failed at the node. The coordinator executed them instead, or they were refused. */
  turnedAway: number
  /** Reads that were refused, because the coordinator got no response from the node either. */
  refused: number
  /** Transactions that the node coordinated. */
  committed: number
}

export interface OwningNodeState extends Counts {
  /** host:port */
  name: string
  inUse: boolean
}

export interface OwningNodeOptions {
  group: number
  name: string
  counts: Counts
  connection: ClientConfig
  readConnections: number
  /** Opens a connection to the coordinator for the reads of this node. */
  openFallback: FallbackOptions['open']
  log: Logger
}

/** Shorter than for the database, because the coordinator can execute the reads of a node. */
const PROBE = SECOND

/** Interval of checks of a node that is in use. */
const CHECK_INTERVAL = SECOND
/** Interval of checks of a node that is not in use. */
const RECHECK_INTERVAL = 250

/** As many transactions as the queue of awards executes at a time. */
export const WRITE_CONNECTIONS = 3
/** How long the coordinator executes the transactions of a node that refused one. */
const EXCLUSION = MINUTE

export function openOwningNode(options: OwningNodeOptions): OwningNode {
  const { group, name, counts, connection, readConnections, openFallback, log } = options
  const database = openDatabase({
    connection: coordinating(connection),
    readConnections,
    poolSize: WRITE_CONNECTIONS,
    readSettings: settingsOf(group),
    log,
    lifeline: { probe: PROBE },
  })
  const stopping = new AbortController()
  const { signal } = stopping
  const fallback = openFallbackReads({ name, open: openFallback })
  let inUse = false
  let silent = false
  let lastReason: string | undefined
  let excluded = false
  const writing: WritingNode = {
    kysely: database.kysely,
    committed: () => void counts.committed++,
    exclude(error) {
      excluded = true
      setTimeout(() => (excluded = false), EXCLUSION).unref()
      log.warn(
        { node: name, err: error },
        'a node refused a transaction; the coordinator executes those of the next minute',
      )
    },
  }
  const tried = Promise.withResolvers<void>()
  const setSilent = (now: boolean) => {
    if (now !== silent) fallback.reset()
    silent = now
  }

  const disable = (error: unknown) => {
    inUse = false
    setSilent(isSilence(error))
    const { cause = error } = error as { cause?: unknown }
    if (lastReason !== String(cause)) log.warn({ node: name, err: error }, `a node cannot be used; ${consequence()}`)
    lastReason = String(cause)
    tried.resolve()
  }
  const consequence = () =>
    silent ? 'its reads are refused if the coordinator cannot reach it either' : 'the coordinator executes its reads'

  /** Reads the node as long as it is open, because requests may not read it. Enables it if it responds. */
  const watch = async (): Promise<void> => {
    while (!signal.aborted) {
      // The read can take longer.
      const noResponse = setTimeout(() => {
        if (inUse) return
        setSilent(true)
        tried.resolve()
      }, PROBE).unref()
      try {
        await database.read(responds, []).finally(() => clearTimeout(noResponse))
        if (signal.aborted) return
        if (!inUse) log.debug({ node: name }, 'a node executes reads of its shards')
        inUse = true
        setSilent(false)
        lastReason = undefined
        tried.resolve()
      } catch (error) {
        if (signal.aborted) return
        disable(error)
      }
      const interval = inUse ? CHECK_INTERVAL : RECHECK_INTERVAL
      await sleep(interval, undefined, { signal, ref: false }).catch(() => {}) // only an abort ends it early
    }
  }
  const watching = watch()

  return {
    group,
    name,
    reader: database,
    kysely: database.kysely,
    get inUse() {
      return inUse
    },
    tried: tried.promise,
    get isSilent() {
      return silent
    },
    get isHanging() {
      return silent && !fallback.coordinatorReachesNode
    },
    counts,
    get writing() {
      return inUse && !excluded && group !== COORDINATOR ? writing : undefined
    },
    fallback,
    disable(reason) {
      if (inUse) disable(reason)
    },
    state: () => ({ name, inUse, ...counts }),
    async close() {
      stopping.abort()
      inUse = false
      await Promise.all([fallback.close(), database.close()])
      await watching
    },
  }
}

/** A session that coordinates transactions has the setting of the coordinator's database (configureDatabase). */
function coordinating(connection: ClientConfig): ClientConfig {
  return { ...connection, options: `${connection.options ?? ''} -c questboard.plan_cache_mode=auto`.trim() }
}
