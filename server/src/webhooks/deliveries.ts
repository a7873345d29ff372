import { SECOND } from '../clock.ts'
import { type Job, pause } from '../jobs/jobs.ts'
import { runningWork } from '../jobs/running-work.ts'
import { createDeliverer, type DeliveryDependencies } from './deliver.ts'

const POLL = SECOND / 2
/** Requests that end within this time are followed by one claim. */
const GATHER = 10
/** Running requests may take this long after a SIGTERM. */
const STOP_TIMEOUT = 5 * SECOND

/** Sends webhooks. At the stop, another instance takes over the requests that take too long. */
export function deliveryJob(deps: DeliveryDependencies): Job {
  const running = runningWork()
  const deliverer = createDeliverer(deps, running)
  return {
    name: 'webhook deliveries',
    async run({ now, signal }) {
      if ((await deliverer.begin(now)) === 0) return POLL
      // More messages may wait than can be sent at the same time.
      await Promise.race([running.oneEnded(), pause(POLL, signal)])
      return GATHER
    },
    stop: () => running.stop(STOP_TIMEOUT),
  }
}
