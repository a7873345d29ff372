import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises'
import type { App } from '../app.ts'
import { SECOND } from '../clock.ts'
import type { AdoptedConnections } from '../http/adopted-connections.ts'
import { DRAIN_TIMEOUT, LAST_SILENCE } from '../lifetimes.ts'

/** An answer that was begun before the stop keeps its connection open: it is closed when it is done. */
const FINISHED_POLL = SECOND / 10

/**
 * Lets what is under way finish, and closes everything; nobody new comes any more. A proxy may have chosen any of the
 * connections that it keeps for a request that is on its way: each is told with its next answer that it ends, and only
 * those on which none comes are closed.
 * @param notice milliseconds for which it was said that the service goes: who did not wait then does not wait now
 */
export async function finishRequests(app: App, connections: AdoptedConnections, notice: number): Promise<void> {
  const impatient = setTimeout(() => app.server.closeAllConnections(), DRAIN_TIMEOUT)
  let ended = false
  const ending = connections.allEnded().then(() => (ended = true))
  app.endConnections()
  for (let wait = Math.min(notice, LAST_SILENCE); !ended; wait = FINISHED_POLL) {
    await Promise.race([ending, sleep(wait, undefined, { ref: false })])
    // What has come is read in this turn, and makes its connection one that asks.
    await turn()
    app.server.closeIdleConnections()
  }
  clearTimeout(impatient)
  await app.close()
}
