import { SECOND } from '../../clock.ts'
import { type Job, pause } from '../../jobs/jobs.ts'
import { runningWork } from '../../jobs/running-work.ts'
import { createNotifier, type NoticeDependencies } from './deliver.ts'

const POLL = SECOND / 2
/** The delay between the end of a request and the next claim. One claim then follows several requests. */
const GATHER = 10
/** At shutdown, running requests are aborted after this time. */
const STOP_TIMEOUT = 5 * SECOND

/** Sends logout tokens. If a request is aborted at shutdown, another instance sends a new one. */
export function logoutNoticeJob(deps: NoticeDependencies): Job {
  const running = runningWork()
  const notifier = createNotifier(deps, running)
  return {
    name: 'logout notices',
    async run({ now, signal }) {
      if ((await notifier.begin(now)) === 0) return POLL
      await Promise.race([running.oneEnded(), pause(POLL, signal)])
      return GATHER
    },
    stop: () => running.stop(STOP_TIMEOUT),
  }
}
