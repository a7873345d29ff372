import type { App } from './app.ts'
import { SECOND } from './clock.ts'
import type { AdoptedConnections } from './http/adopted-connections.ts'
import { DRAIN_TIMEOUT } from './lifetimes.ts'

/** An answer that was begun before the stop keeps its connection open: it is closed when it is done. */
const FINISHED_POLL = SECOND / 10

/** Lets what is under way finish, and closes everything; nothing new comes any more. */
export async function finishRequests(app: App, connections: AdoptedConnections): Promise<void> {
  const finishing = setInterval(() => app.server.closeIdleConnections(), FINISHED_POLL)
  const impatient = setTimeout(() => app.server.closeAllConnections(), DRAIN_TIMEOUT)
  app.server.closeIdleConnections()
  await connections.allEnded()
  clearInterval(finishing)
  clearTimeout(impatient)
  await app.close()
}
