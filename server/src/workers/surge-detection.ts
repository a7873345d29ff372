import { SECOND } from '../clock.ts'
import type { Address } from '../http/listeners.ts'
import type { ToWorker } from './messages.ts'

/** Whether more connections come than can be dispatched: then each worker listens itself. */
export interface SurgeDetector {
  /** Many wait to be dispatched. */
  queueIsLong: () => void
  /** Workers have accepted so many themselves. */
  accepted: (count: number) => void
  /** What a worker has to be told that begins now. */
  readonly order: ToWorker | undefined
  end: () => void
}

export interface SurgeOptions {
  broadcast: (message: ToWorker) => void
  /** Where workers are to listen; undefined when the first process does not yet. */
  address: () => Address | undefined
  /** Milliseconds for which few have to come before it is over. */
  period?: number
}

/** Fewer a second are dispatched with ease, and hardly one is on its way while the workers' sockets are closed. */
const FEW_A_SECOND = 20

/** The workers open their listening sockets together and close them together, so that none has more than its part. */
export function detectSurges({ broadcast, address, period = 30 * SECOND }: SurgeOptions): SurgeDetector {
  let order: ToWorker | undefined
  let queueWasLong = false
  let count = 0
  let checking: NodeJS.Timeout | undefined

  const end = (): void => {
    clearInterval(checking)
    order = undefined
  }

  const check = (): void => {
    if (!queueWasLong && count < (FEW_A_SECOND * period) / SECOND) {
      end()
      broadcast({ kind: 'stop listening' })
    }
    queueWasLong = false
    count = 0
  }

  return {
    queueIsLong() {
      const at = address()
      queueWasLong = true
      if (order || !at) return
      order = { kind: 'listen', address: at }
      count = 0
      checking = setInterval(check, period).unref()
      broadcast(order)
    },
    accepted: (more) => void (count += more),
    get order() {
      return order
    },
    end,
  }
}
