import { SECOND } from '../clock.ts'
import type { FileProgress } from '../ingest/import-file.ts'
import type { Dependencies } from '../services.ts'
import { nowOf } from '../services.ts'
import { touchImport, type Work } from './imports.queries.ts'

const INTERVAL = SECOND

/** The heartbeat of a process that works on an import: extends its claim, and stores the progress. */
export interface Heartbeat {
  readonly progress: FileProgress
  /** Aborted if the import is cancelled, or if another process has taken it over. */
  readonly ended: AbortSignal
  /** Reads whether the import was cancelled. */
  cancelled(): Promise<boolean>
  stop(): void
}

export function startHeartbeat(deps: Pick<Dependencies, 'database' | 'clock' | 'log'>, work: Work): Heartbeat {
  const ending = new AbortController()
  let cancelled = false
  let lines = 0
  let progress: object = { phase: 'reading', read: 0 }
  let writing: Promise<void> | undefined

  async function write(): Promise<void> {
    try {
      const ours = await touchImport(deps.database.kysely, work, nowOf(deps), progress)
      cancelled = ours?.cancelling ?? false
      if (!ours || cancelled) ending.abort(new Error(cancelled ? 'cancelled' : 'taken over'))
    } catch (error) {
      deps.log.warn({ err: error, import: work.id }, 'the progress of an import was not written')
    }
  }
  const writeOnce = () =>
    (writing ??= write().finally(() => {
      writing = undefined
    }))

  const timer = setInterval(() => void writeOnce(), INTERVAL).unref()
  return {
    ended: ending.signal,
    async cancelled() {
      if (!ending.signal.aborted) await writeOnce()
      return cancelled
    },
    stop: () => clearInterval(timer),
    progress: {
      opened: () => {},
      phase: (phase, read) => (progress = { phase, read: (lines = read) }),
      read: (read) => (progress = { phase: 'reading', read }),
      stored: (stored, step) => (progress = { phase: 'writing', read: lines, stored, of: step }),
    },
  }
}
