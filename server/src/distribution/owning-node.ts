import { setTimeout as sleep } from 'node:timers/promises'
import type { ClientConfig } from 'pg'
import type { Reader } from '@questboard/pg-read-pipeline'
import { openDatabase } from '../database/connection.ts'
import { SECOND } from '../clock.ts'
import type { Logger } from '../logging/log.ts'
import { responds, settingsOf } from './owning-node.queries.ts'

/** A node of the cluster that executes reads of its own shards. */
export interface OwningNode {
  readonly group: number
  readonly name: string
  readonly reader: Reader
  /** Whether reads may use it: it responds, and is the node of this group. */
  readonly inUse: boolean
  /** Reads do not use the node until it responds again. */
  disable(reason: unknown): void
  answered(): void
  turnedAway(): void
  state(): OwningNodeState
  close(): Promise<void>
}

export interface ReadCounts {
  /** Reads that the node executed. */
  answered: number
  /** Reads that failed at the node, so the coordinator executed them. */
  turnedAway: number
}

export interface OwningNodeState extends ReadCounts {
  /** host:port */
  name: string
  inUse: boolean
}

export interface OwningNodeOptions {
  group: number
  name: string
  /** openOwningNode increments them. */
  counts: ReadCounts
  connection: ClientConfig
  readConnections: number
  log: Logger
}

/** A node is given up sooner than the database, because its reads have another way. */
const PROBE = SECOND

/** Interval of checks of a node that is not in use. */
const RECHECK_INTERVAL = 250

export function openOwningNode(options: OwningNodeOptions): OwningNode {
  const { group, name, counts, connection, readConnections, log } = options
  const database = openDatabase({
    connection,
    readConnections,
    readSettings: settingsOf(group),
    log,
    lifeline: { probe: PROBE },
  })
  const stopping = new AbortController()
  const { signal } = stopping
  let inUse = false
  let lastReason: string | undefined

  /** Waits until the node responds, and enables it. */
  const enableWhenUp = async (): Promise<void> => {
    while (!signal.aborted) {
      try {
        await database.read(responds, [])
        inUse = true
        lastReason = undefined
        return log.debug({ node: name }, 'a node executes reads of its shards')
      } catch (error) {
        const { cause = error } = error as { cause?: unknown }
        if (lastReason !== String(cause) && !signal.aborted)
          log.warn({ node: name, err: error }, 'a node cannot be used; the coordinator executes its reads')
        lastReason = String(cause)
      }
      await sleep(RECHECK_INTERVAL, undefined, { signal }).catch(() => {}) // only an abort ends it early
    }
  }
  let enabling = enableWhenUp()

  return {
    group,
    name,
    reader: database,
    get inUse() {
      return inUse
    },
    disable(reason) {
      if (!inUse) return
      inUse = false
      log.warn({ node: name, err: reason }, 'a node failed; the coordinator executes its reads')
      enabling = enableWhenUp()
    },
    answered: () => void counts.answered++,
    turnedAway: () => void counts.turnedAway++,
    state: () => ({ name, inUse, ...counts }),
    async close() {
      stopping.abort()
      inUse = false
      await database.close()
      await enabling
    },
  }
}
