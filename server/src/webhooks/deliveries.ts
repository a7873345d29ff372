import { setTimeout as sleep } from 'node:timers/promises'
import { SECOND } from '../clock.ts'
import { watchClocks } from '../database/agreed-time.ts'
import { createDeliverer, type DeliveryDependencies } from './deliver.ts'

const POLL = SECOND / 2
const PAUSE_AFTER_FAILURE = 2 * SECOND
/** Ends that follow each other closely are one reason to look for more. */
const GATHER = 10
/** On SIGTERM, requests under way get this long. */
const DRAIN = 5 * SECOND

export interface Deliveries {
  /** Begins nothing new, and waits for what is under way; what takes too long is left to another instance. */
  stop(): Promise<void>
}

/** Sends webhooks while the service runs; none while its clock is not the database's: endpoints are given up by it. */
export function startDeliveries(deps: DeliveryDependencies): Deliveries {
  const stopping = new AbortController()
  const cutting = new AbortController()
  const deliverer = createDeliverer(deps, cutting.signal)
  const agreedNow = watchClocks(deps)
  const pause = (milliseconds: number) => sleep(milliseconds, undefined, { signal: stopping.signal }).catch(() => {}) // only an abort ends it early

  const loop = (async () => {
    let backlog = false
    while (!stopping.signal.aborted) {
      try {
        // While there is more than may be under way, the end of one is the time for the next.
        if (backlog) {
          await Promise.race([deliverer.oneEnded(), pause(POLL)])
          await pause(GATHER)
        } else await pause(POLL)
        if (stopping.signal.aborted) break
        const now = await agreedNow()
        backlog = now !== undefined && (await deliverer.begin(now)) > 0
      } catch (error) {
        deps.log.error({ err: error }, 'webhooks could not be sent and will be tried again')
        await pause(PAUSE_AFTER_FAILURE)
      }
    }
  })()

  return {
    async stop() {
      stopping.abort()
      await loop
      const patience = setTimeout(() => cutting.abort(), DRAIN)
      await deliverer.allEnded()
      clearTimeout(patience)
    },
  }
}
