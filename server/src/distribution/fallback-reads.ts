import type { Reader } from '@questboard/pg-read-pipeline'
import { SECOND } from '../clock.ts'
import type { Database } from '../database/connection.ts'
import { unavailable } from '../errors.ts'
import { failedRead } from './failed-read.ts'

/** Reads of the rows of one node through the coordinator, while this process gets no response from the node. */
export interface FallbackReads {
  /** @throws UNAVAILABLE if the coordinator gets no response from the node either */
  read<Rows>(send: (reader: Reader) => Promise<Rows>): Promise<Rows>
  /** Waits for running reads. */
  close(): Promise<void>
  /** Ends running reads, and closes the connection. */
  abort(): Promise<void>
}

export interface FallbackOptions {
  /** The node. */
  name: string
  /** Opens the connection to the coordinator. */
  open: () => Pick<Database, 'read' | 'readShared' | 'endWaiting' | 'close'>
  /** Milliseconds that a request waits for a read. */
  timeout?: number
  /** Milliseconds without reads after one that the node never answered. */
  pause?: number
}

const TIMEOUT = SECOND / 2
const PAUSE = 30 * SECOND
/** Reads that run at the same time: as many as leave in one message. */
const MAX_RUNNING = 12

/**
 * If the node hangs, a statement of the coordinator waits for it, and nothing can cancel this statement. It keeps its
 * connection at the coordinator until the node responds. So the reads of a node have one connection of their own, no
 * read starts while another one takes too long, and after a read without a result, reads are tried one at a time, with
 * long pauses.
 */
export function openFallbackReads({ name, open, timeout = TIMEOUT, pause = PAUSE }: FallbackOptions): FallbackReads {
  const database = open()
  let running = 0
  let late = 0
  let allowed = MAX_RUNNING
  let pausing: NodeJS.Timeout | undefined

  const refusal = () => unavailable(new Error(`the coordinator gets no response from the node ${name}`))
  const pauseReads = () => {
    allowed = 0
    clearTimeout(pausing)
    pausing = setTimeout(() => (allowed = 1), pause).unref()
  }
  const close = () => {
    clearTimeout(pausing)
    allowed = 0
    return database.close()
  }

  return {
    read(send) {
      if (late > 0 || running >= allowed) return Promise.reject(refusal())
      running++
      return new Promise((resolve, reject) => {
        let isLate = false
        const timer = setTimeout(() => {
          isLate = true
          late++
          reject(refusal())
        }, timeout)
        const ended = () => {
          clearTimeout(timer)
          running--
          if (isLate) late--
        }
        send(database).then(
          (rows) => {
            ended()
            if (allowed > 0) allowed = MAX_RUNNING
            resolve(rows)
          },
          (error: unknown) => {
            ended()
            const isLost = failedRead(error) === 'node'
            if (isLost && isLate) pauseReads()
            else if (!isLost && allowed > 0) allowed = MAX_RUNNING
            reject(error as Error)
          },
        )
      })
    },
    close,
    abort() {
      database.endWaiting(0, 'the service stops')
      return close()
    },
  }
}
