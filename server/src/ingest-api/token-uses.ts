import { setTimeout as sleep } from 'node:timers/promises'
import { noteIngestUse } from '../access/ingest-tokens.queries.ts'
import { TOKEN_USES_CLOSE_TIMEOUT, TOKEN_USES_PAUSE } from '../lifetimes.ts'
import type { Dependencies } from '../services.ts'

/** Stores the times at which ingest tokens were used, after the requests. */
export interface TokenUses {
  note(tokenId: string, at: Date): void
  /** Tries once to store the times that are not stored yet, within a timeout. Later times are ignored. */
  close(): Promise<void>
}

/**
 * A write changes all nodes of a cluster, so it waits if one of them hangs. Concurrent writes would take more connections
 * from the requests, so each process writes one time after the other.
 */
export function createTokenUses(
  { database, log }: Pick<Dependencies, 'database' | 'log'>,
  { pause = TOKEN_USES_PAUSE, closeTimeout = TOKEN_USES_CLOSE_TIMEOUT } = {},
): TokenUses {
  /** Times to store, by token. The first one is being written. */
  const waiting = new Map<string, Date>()
  let writing: Promise<void> | undefined
  /** Set during the pause after a failed write. */
  let paused: NodeJS.Timeout | undefined
  let closed = false

  async function writeAll(): Promise<void> {
    // Requests add tokens and later times while a write runs.
    for (let [use] = waiting; use; [use] = waiting) {
      const [tokenId, at] = use
      try {
        database.reachAll()
        await noteIngestUse(database.kysely, tokenId, at)
      } catch (error) {
        log.warn({ err: error }, 'could not record the use of an ingest token')
        if (!closed) pauseWrites()
        break
      }
      if (waiting.get(tokenId) === at) waiting.delete(tokenId)
    }
  }

  function startWriting(): void {
    writing ??= writeAll().finally(() => (writing = undefined))
  }

  function pauseWrites(): void {
    paused = setTimeout(() => {
      paused = undefined
      startWriting()
    }, pause).unref()
  }

  return {
    note(tokenId, at) {
      if (closed) return
      waiting.set(tokenId, at)
      if (!paused) startWriting()
    },
    async close() {
      closed = true
      clearTimeout(paused)
      if (waiting.size > 0) startWriting()
      await Promise.race([writing, sleep(closeTimeout, undefined, { ref: false })])
      // A write that still runs is the last one.
      waiting.clear()
    },
  }
}
