import type { Outcome, Queue } from '../../jobs/sender.ts'
import { WEBHOOK_TIMEOUT } from '../../lifetimes.ts'
import type { Services } from '../../services.ts'
import { retryDelay } from '../../webhooks/retry-schedule.ts'
import { findApp } from '../app.queries.ts'
import { createLogoutToken } from './logout-token.ts'
import { claimNotices, deleteNotice, type LogoutNotice, postponeNotice } from './queue.queries.ts'
import { sendLogoutToken } from './send.ts'

export interface NoticeDependencies extends Services {
  /** Milliseconds that a request may take; WEBHOOK_TIMEOUT unless given. */
  timeout?: number
  /** Called with the outcome of each recorded attempt. */
  notified?: (outcome: Outcome) => void
}

/** Concurrent requests of one process: in all, and to one app. */
const MAX_REQUESTS = 32
const MAX_REQUESTS_TO_APP = 5

const SUSPENDED = { delivered: false, error: 'the app is suspended', pause: undefined } as const

/** The logout tokens that apps have not received yet. */
export const logoutQueue = (deps: NoticeDependencies): Queue<LogoutNotice> => ({
  maxRequests: MAX_REQUESTS,
  receiverOf: ({ clientId }) => clientId,
  claim: (claim) => claimNotices(deps.database.kysely, { ...claim, perApp: MAX_REQUESTS_TO_APP }),
  deliver: (notice, lease, signal) => deliver(deps, notice, lease, signal),
  onError: (error, { clientId }) => deps.log.error({ err: error, clientId }, 'could not record a logout notice'),
})

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
        token: await createLogoutToken(deps, app, notice),
        timeout: deps.timeout ?? WEBHOOK_TIMEOUT,
        signal,
      })
  if (result.delivered) {
    if (await deleteNotice(kysely, noticeId, lease)) deps.notified?.('delivered')
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
      deps.notified?.('tried again')
    return
  }
  if (!(await deleteNotice(kysely, noticeId, lease))) return
  deps.notified?.('given up')
  deps.log.warn({ clientId, error: result.error }, 'a logout token was not delivered')
}
