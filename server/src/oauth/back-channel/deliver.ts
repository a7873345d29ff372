import { WEBHOOK_LEASE, WEBHOOK_TIMEOUT } from '../../lifetimes.ts'
import { type RunningWork, runningWork } from '../../jobs/running-work.ts'
import type { Services } from '../../services.ts'
import { retryDelay } from '../../webhooks/retry-schedule.ts'
import { findApp } from '../app.queries.ts'
import { createLogoutToken } from './logout-token.ts'
import { claimNotices, deleteNotice, type LogoutNotice, postponeNotice } from './queue.queries.ts'
import { sendLogoutToken } from './send.ts'

export interface NoticeDependencies extends Services {
  /** Milliseconds that a request may take; WEBHOOK_TIMEOUT unless given. */
  timeout?: number
  /** Called with the result of each attempt. */
  told?: (outcome: 'delivered' | 'tried again' | 'given up') => void
}

/** Requests under way in one process: in all, and to one app. */
const AT_ONCE = 32
const AT_ONCE_TO_APP = 5

const SUSPENDED = { told: false, error: 'the app is suspended', pause: undefined } as const

/** Tells apps about ended sessions. Any number of instances may do so: one of them at a time has a notice. */
export interface Notifier {
  /** Claims what is due, and begins to send it. Returns how many notices it claimed. */
  begin(now?: number): Promise<number>
}

/** @param running when its signal is aborted, requests end, and their notices are due again at once */
export function createNotifier(deps: NoticeDependencies, running: RunningWork): Notifier {
  const busy = new Map<string, number>()

  async function tell(notice: LogoutNotice, lease: string): Promise<void> {
    const { clientId } = notice
    busy.set(clientId, (busy.get(clientId) ?? 0) + 1)
    await deliver(deps, notice, lease, running.signal).catch((error: unknown) =>
      deps.log.error({ err: error, clientId }, 'could not record a logout notice'),
    )
    const left = (busy.get(clientId) ?? 1) - 1
    if (left === 0) busy.delete(clientId)
    else busy.set(clientId, left)
  }

  return {
    async begin(now = deps.clock.now()) {
      const limit = AT_ONCE - running.size
      if (limit <= 0 || running.signal.aborted) return 0
      const lease = deps.random.uuid()
      const claimed = await claimNotices(deps.database.kysely, {
        lease,
        now: new Date(now),
        until: new Date(now + WEBHOOK_LEASE),
        limit,
        perApp: AT_ONCE_TO_APP,
        busy,
      })
      for (const notice of claimed) running.add(tell(notice, lease))
      return claimed.length
    },
  }
}

/** Sends everything that is due now, and waits for it. Returns how many notices were due. */
export async function tellDue(deps: NoticeDependencies): Promise<number> {
  const running = runningWork()
  const notifier = createNotifier(deps, running)
  let notices = 0
  for (;;) {
    const begun = await notifier.begin()
    if (begun === 0) return notices
    notices += begun
    await running.allEnded()
  }
}

async function deliver(
  deps: NoticeDependencies,
  notice: LogoutNotice,
  lease: string,
  signal: AbortSignal,
): Promise<void> {
  const { clientId, noticeId } = notice
  const { kysely } = deps.database
  const app = await findApp(deps.database, clientId)
  const isSuspended = app?.status === 'suspended'
  if (!app || (app.status !== 'approved' && !isSuspended) || app.backchannelLogoutUri === null) {
    await deleteNotice(kysely, noticeId, lease)
    return
  }
  // A suspended app may be resumed, and then its sessions of signed-out users must end.
  const result = isSuspended
    ? SUSPENDED
    : await sendLogoutToken(deps.outgoing, {
        url: app.backchannelLogoutUri,
        token: await createLogoutToken(deps, notice),
        timeout: deps.timeout ?? WEBHOOK_TIMEOUT,
        signal,
      })
  if (result.told) {
    if (await deleteNotice(kysely, noticeId, lease)) deps.told?.('delivered')
    return
  }
  const now = deps.clock.now()
  if (signal.aborted) {
    await postponeNotice(kysely, noticeId, lease, { next: new Date(now), tries: notice.tries })
    return
  }
  const tries = notice.tries + 1
  const delay = retryDelay(tries, deps.random.bytes(1).readUInt8() / 255, result.pause)
  if (delay !== undefined) {
    if (await postponeNotice(kysely, noticeId, lease, { next: new Date(now + delay), tries }))
      deps.told?.('tried again')
    return
  }
  if (!(await deleteNotice(kysely, noticeId, lease))) return
  deps.told?.('given up')
  deps.log.warn({ clientId, error: result.error }, 'an app was not told that a session has ended')
}
