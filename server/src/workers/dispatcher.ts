import type { Socket } from 'node:net'
import { SECOND } from '../clock.ts'
import { MOST_WAIT_FOR_A_PLACE } from '../lifetimes.ts'
import type { WorkerProcess } from './worker-process.ts'

/** The queue in which connections wait until a worker has taken the one before. */
export interface Dispatcher {
  enqueue: (socket: Socket) => void
  /** A worker can take one. */
  dispatch: () => void
  /** Dispatches what waits. @returns when nothing does */
  close: () => Promise<void>
}

export interface DispatcherOptions {
  /** The worker whose turn it is, of those that have taken what they were given. */
  nextFree: () => Pick<WorkerProcess, 'give'> | undefined
  /** Many wait; told again every second as long as they do. */
  onLongQueue: () => void
  /** Takes the connections that cannot wait any longer. */
  overflow: (socket: Socket) => void
  /** So many may wait. */
  most?: number
  /** Milliseconds that one may wait. */
  patience?: number
}

interface Waiting {
  socket: Socket
  since: number
}

const MOST_WAITING = 2_000
const LONG_QUEUE = 32
const CHECKS_A_WAIT = 10

/**
 * A worker is given one connection in a turn of its event loop, in the order in which they came: while it is busy many
 * may wait. Those beyond `most`, and after `patience`, overflow.
 */
export function createDispatcher({
  nextFree,
  onLongQueue,
  overflow,
  most = MOST_WAITING,
  patience = MOST_WAIT_FOR_A_PLACE,
}: DispatcherOptions): Dispatcher {
  const queue: Waiting[] = []
  let checking: NodeJS.Timeout | undefined
  let toldLong = -Infinity
  let emptied: PromiseWithResolvers<void> | undefined

  const dispatch = (): void => {
    for (let worker = queue.length > 0 && nextFree(); worker; worker = queue.length > 0 && nextFree()) {
      const { socket } = queue.shift() as Waiting
      worker.give(socket)
    }
    if (queue.length === 0) rest()
  }

  const check = (): void => {
    const oldest = performance.now() - patience
    const late = queue.findIndex(({ since }) => since >= oldest)
    for (const { socket } of queue.splice(0, late === -1 ? queue.length : late)) overflow(socket)
    dispatch()
  }

  function rest(): void {
    clearInterval(checking)
    checking = undefined
    emptied?.resolve()
  }

  return {
    enqueue(socket) {
      // Who has gone meanwhile is found out where it is taken.
      socket.on('error', () => {})
      if (queue.length >= most) return overflow(socket)
      queue.push({ socket, since: performance.now() })
      if (queue.length >= LONG_QUEUE && performance.now() - toldLong >= SECOND) {
        toldLong = performance.now()
        onLongQueue()
      }
      checking ??= setInterval(check, patience / CHECKS_A_WAIT)
      dispatch()
    },
    dispatch,
    close() {
      emptied = Promise.withResolvers()
      if (queue.length === 0) emptied.resolve()
      return emptied.promise
    },
  }
}
