import type { Reader } from '@questboard/pg-read-pipeline'
import { MINUTE, SECOND } from '../clock.ts'
import type { Database } from '../database/connection.ts'
import { unavailable } from '../errors.ts'

/** Reads of the rows of one node through the coordinator, while this process gets no response from the node. */
export interface FallbackReads {
  /** @throws UNAVAILABLE if the coordinator gets no response from the node in time either */
  read<Rows>(send: (reader: Reader) => Promise<Rows>): Promise<Rows>
  /** Whether the coordinator got a response from the node since `reset` and since a read took too long. */
  readonly coordinatorReachesNode: boolean
  /** Forgets what is known, when the node becomes silent or responds again. */
  reset(): void
  /** Ends running reads, and closes the connection. */
  close(): Promise<void>
}

export interface FallbackOptions {
  /** The node. */
  name: string
  /** Opens the connection to the coordinator. */
  open: () => Pick<Database, 'read' | 'readShared' | 'endWaiting' | 'close'>
  /** Milliseconds that a request waits for a read. */
  timeout?: number
  /** Milliseconds without reads after one without a result. Twice as long after each further one, up to MAX_PAUSE. */
  pause?: number
}

const TIMEOUT = SECOND / 2
const PAUSE = 30 * SECOND
const MAX_PAUSE = 5 * MINUTE
/** Reads that run at the same time: as many as leave in one message. */
const MAX_RUNNING = 12

interface Waiting {
  start(): void
  refuse(): void
}

/**
 * If the node hangs, a statement of the coordinator waits for it, and may remain there until the node responds, also after
 * the coordinator has cancelled it for its client. So the reads of each node have a separate connection. No read starts while
 * another one takes too long. After a read without a result, reads start one at a time, with long pauses.
 */
export function openFallbackReads({ name, open, timeout = TIMEOUT, pause = PAUSE }: FallbackOptions): FallbackReads {
  let database: ReturnType<typeof open> | undefined
  const waiting = new Set<Waiting>()
  let running = 0
  let late = 0
  let allowed = MAX_RUNNING
  let nextPause = pause
  let pausing: NodeJS.Timeout | undefined
  let responded = false
  let closed = false

  const refusal = () => unavailable(new Error(`the coordinator gets no response from the node ${name}`))
  const startNext = () => {
    if (late > 0) return
    for (const next of waiting) {
      if (running >= allowed) return
      next.start()
    }
  }
  const refuseWaiting = () => {
    for (const each of waiting) each.refuse()
  }
  const pauseReads = () => {
    if (allowed === 0) return
    allowed = 0
    pausing = setTimeout(() => (allowed = 1), nextPause).unref()
    nextPause = Math.min(2 * nextPause, MAX_PAUSE)
  }
  const noteResponse = () => {
    if (allowed === 0) return
    responded = true
    allowed = MAX_RUNNING
    nextPause = pause
  }

  return {
    read<Rows>(send: (reader: Reader) => Promise<Rows>) {
      if (late > 0 || allowed === 0) return Promise.reject(refusal())
      return new Promise<Rows>((resolve, reject) => {
        let state: 'waiting' | 'running' | 'late' = 'waiting'
        const refuse = () => {
          waiting.delete(item)
          clearTimeout(timer)
          reject(refusal())
        }
        const timer = setTimeout(() => {
          if (state === 'running') {
            state = 'late'
            late++
            responded = false
            refuseWaiting()
          }
          refuse()
        }, timeout)
        const end = (settle: () => void) => {
          running--
          if (state === 'late') late--
          clearTimeout(timer)
          settle()
          startNext()
        }
        const start = () => {
          waiting.delete(item)
          state = 'running'
          running++
          send((database ??= open())).then(
            (rows) => {
              noteResponse()
              end(() => resolve(rows))
            },
            (error: Error) => {
              // Also after a timeout of the statement: the coordinator cancelled it, and the node did not respond.
              if (state === 'late') pauseReads()
              end(() => reject(error))
            },
          )
        }
        const item: Waiting = { start, refuse }
        waiting.add(item)
        startNext()
      })
    },
    get coordinatorReachesNode() {
      return responded
    },
    reset() {
      responded = false
      clearTimeout(pausing)
      allowed = closed ? 0 : MAX_RUNNING
      nextPause = pause
    },
    async close() {
      closed = true
      clearTimeout(pausing)
      allowed = 0
      refuseWaiting()
      database?.endWaiting(0, Infinity, 'the service stops')
      await database?.close()
    },
  }
}
