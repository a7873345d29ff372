import { noteIngestUse } from '../access/ingest-tokens.queries.ts'
import type { Dependencies } from '../services.ts'

/** Stores the times at which ingest tokens were used, after the requests. */
export interface TokenUses {
  note(tokenId: string, at: Date): void
  /** Stores the times that are not stored yet. Later times are ignored. */
  close(): Promise<void>
}

/**
 * A write changes all nodes of a cluster, so it waits if one of them hangs. Concurrent writes would take more connections
 * from the requests, so each process writes one time after the other.
 */
export function createTokenUses({ database: { kysely }, log }: Pick<Dependencies, 'database' | 'log'>): TokenUses {
  /** Times to store, by token. The first one is being written. */
  const waiting = new Map<string, Date>()
  let writing: Promise<void> | undefined
  let closed = false

  async function writeAll(): Promise<void> {
    // The iteration includes tokens that are added while it runs.
    for (const [tokenId, at] of waiting) {
      await noteIngestUse(kysely, tokenId, at).catch((error: unknown) =>
        log.warn({ err: error }, 'could not record the use of an ingest token'),
      )
      waiting.delete(tokenId)
    }
    writing = undefined
  }

  return {
    note(tokenId, at) {
      if (closed) return
      waiting.set(tokenId, at)
      writing ??= writeAll()
    },
    async close() {
      closed = true
      await writing
    },
  }
}
