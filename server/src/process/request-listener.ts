import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises'
import type { App } from '../app.ts'
import { type MonotonicClock, SECOND } from '../clock.ts'
import { type Address, openListeners } from '../http/listeners.ts'
import { DRAIN_TIMEOUT, STOP_IDLE_TIMEOUT } from '../lifetimes.ts'

/** A response that began before the stop keeps its connection open for this long after its end. */
const FINISHED_POLL = SECOND / 10

export interface RequestListener {
  /** Reports for `notice` milliseconds that the service stops and still serves; then finishes running requests. */
  stop: (notice: number) => Promise<void>
}

export async function serveRequests(app: App, address: Address, clock: MonotonicClock): Promise<RequestListener> {
  const { server } = app
  // From this event on Node checks the timeouts of connections. The server itself does not listen.
  server.emit('listening')
  const listeners = await openListeners((socket) => server.emit('connection', socket), address, clock)

  return {
    async stop(notice) {
      app.drain()
      await sleep(notice)
      await listeners.close()
      await finishRequests(notice)
    },
  }

  /**
   * A proxy may be sending a request on any of its idle connections. Each response therefore says that its connection
   * ends, and only connections without a request are closed.
   */
  async function finishRequests(notice: number): Promise<void> {
    const timeout = setTimeout(() => {
      server.closeAllConnections()
      // Streams that have ended are closed now, even if their clients have not read the rest.
      app.endConnections()
    }, DRAIN_TIMEOUT)
    let ended = false
    const ending = listeners.ended.then(() => (ended = true))
    app.endConnections()
    for (let wait = Math.min(notice, STOP_IDLE_TIMEOUT); !ended; wait = FINISHED_POLL) {
      await Promise.race([ending, sleep(wait, undefined, { ref: false })])
      // Requests that have arrived are read in this turn.
      await turn()
      server.closeIdleConnections()
    }
    clearTimeout(timeout)
    await app.close()
  }
}
