import { SECOND } from '../clock.ts'
import { type Accept, type Address, joinListeners, type Listeners, SHARES_PORTS } from '../http/listeners.ts'
import type { Logger } from '../logging/log.ts'

/** Listening sockets that a worker has itself in a surge: as long as more come than can be dispatched to it. */
export interface WorkerListeners {
  open: (at: Address) => Promise<void>
  close: () => Promise<void>
}

export interface WorkerListenersOptions {
  accept: Accept
  /** Is told again and again how many were accepted since. */
  onAccepted: (count: number) => void
  log: Pick<Logger, 'warn'>
  /** Milliseconds. */
  tellEvery?: number
}

/**
 * A worker is given one connection in a turn of its event loop, which is even but slow when it is busy. In a surge it
 * accepts them itself, and the system spreads them.
 */
export function createWorkerListeners({
  accept,
  onAccepted,
  log,
  tellEvery = 5 * SECOND,
}: WorkerListenersOptions): WorkerListeners {
  let opening: Promise<Listeners | undefined> | undefined
  let count = 0
  let telling: NodeJS.Timeout | undefined

  const tell = (): void => {
    onAccepted(count)
    count = 0
  }

  return {
    async open(at) {
      if (opening || !SHARES_PORTS) return
      telling = setInterval(tell, tellEvery).unref()
      opening = joinListeners((socket) => {
        count++
        accept(socket)
      }, at).catch((error: unknown) => {
        log.warn({ err: error }, 'a worker cannot listen itself in a surge')
        return undefined
      })
      await opening
    },
    async close() {
      clearInterval(telling)
      const opened = opening
      opening = undefined
      const listeners = await opened
      await listeners?.close()
    },
  }
}
