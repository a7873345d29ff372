import { SECOND } from '../clock.ts'
import { type Job, pause } from '../jobs/jobs.ts'
import { runningWork } from '../jobs/running-work.ts'
import { createDeliverer, type DeliveryDependencies } from './deliver.ts'

const POLL = SECOND / 2
/** The delay between the end of a request and the next claim. One claim then follows several requests. */
const GATHER = 10
/** At shutdown, running requests are aborted after this time. */
const STOP_TIMEOUT = 5 * SECOND

/** Sends webhooks. If a request is aborted at shutdown, another instance sends its message again. */
export function deliveryJob(deps: DeliveryDependencies): Job {
  const running = runningWork()
  const deliverer = createDeliverer(deps, running)
  return {
    name: 'webhook deliveries',
    async run({ now, signal }) {
      if ((await deliverer.begin(now)) === 0) return POLL
      // More messages may be due than can be sent at once, so wait until a request has ended.
      await Promise.race([running.oneEnded(), pause(POLL, signal)])
      return GATHER
    },
    stop: () => running.stop(STOP_TIMEOUT),
  }
}
