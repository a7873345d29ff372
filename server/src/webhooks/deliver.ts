import type { SystemClock } from '../clock.ts'
import type { Database } from '../database/connection.ts'
import type { InstallationSecret } from '../secrets/installation-secret.ts'
import { WEBHOOK_DISABLE_AFTER, WEBHOOK_TIMEOUT } from '../lifetimes.ts'
import type { Outcome, Queue } from '../jobs/sender.ts'
import type { Logger } from '../logging/log.ts'
import type { Outgoing } from '../outgoing/outgoing.ts'
import type { Random } from '../random.ts'
import { attempt, type AttemptResult, isSuccess } from './attempt.ts'
import { disable } from './disable.ts'
import { liveSecrets } from './endpoints.queries.ts'
import { claimDue, type ClaimedMessage, endAttempt, noteFailure, noteSuccess, recordAttempt } from './queue.queries.ts'
import { MAX_PAUSE, retryDelay } from './retry-schedule.ts'
import { openSecret } from './secrets.ts'

export interface DeliveryDependencies {
  database: Pick<Database, 'kysely'>
  clock: SystemClock
  random: Random
  log: Logger
  outgoing: Outgoing
  secret: InstallationSecret
  /** Timeout of a request in milliseconds. Default: WEBHOOK_TIMEOUT. */
  timeout?: number
  /** Called with the outcome of each recorded attempt. */
  attempted?: (outcome: Outcome) => void
}

/** Maximum concurrent requests of one process: in total, per account, per endpoint, and per failing endpoint. */
const MAX_REQUESTS = 64
const MAX_REQUESTS_OF_ACCOUNT = 16
const MAX_REQUESTS_TO_ENDPOINT = 5
const MAX_REQUESTS_TO_FAILING = 1

export const webhookQueue = (deps: DeliveryDependencies): Queue<ClaimedMessage> => ({
  maxRequests: MAX_REQUESTS,
  receiverOf: ({ endpointId }) => endpointId,
  claim: (claim) =>
    claimDue(deps.database.kysely, {
      ...claim,
      perEndpoint: MAX_REQUESTS_TO_ENDPOINT,
      perFailing: MAX_REQUESTS_TO_FAILING,
      perAccount: MAX_REQUESTS_OF_ACCOUNT,
    }),
  deliver: (message, lease, signal) => deliver(deps, message, lease, signal),
  onError: (error, { endpointId }) => deps.log.error({ err: error, endpointId }, 'could not record a delivery'),
})

async function deliver(
  deps: DeliveryDependencies,
  message: ClaimedMessage,
  lease: string,
  signal: AbortSignal,
): Promise<void> {
  const startedAt = deps.clock.now()
  const stopwatch = deps.clock.monotonic()
  const result = await trySending(deps, message, startedAt, signal)
  if (signal.aborted && result.status === undefined) {
    const outcome = { state: 'pending', next: new Date(deps.clock.now()), tries: message.tries } as const
    await endAttempt(deps.database.kysely, message, lease, outcome)
    return
  }
  await note(deps, message, lease, result, { startedAt, durationMs: Math.round(deps.clock.monotonic() - stopwatch) })
}

async function trySending(
  { database, outgoing, secret, timeout = WEBHOOK_TIMEOUT }: DeliveryDependencies,
  { endpointId, messageId, payload, url }: ClaimedMessage,
  now: number,
  signal: AbortSignal,
): Promise<AttemptResult> {
  const rows = await liveSecrets(database.kysely, [endpointId], new Date(now))
  let secrets: string[]
  try {
    secrets = rows.map((row) => openSecret(secret, row))
  } catch (error) {
    return { status: undefined, error: (error as Error).message, response: '', pause: undefined }
  }
  return attempt(outgoing, { url, messageId, payload, secrets, now, timeout, signal })
}

async function note(
  { database, clock, random, log, attempted }: DeliveryDependencies,
  message: ClaimedMessage,
  lease: string,
  result: AttemptResult,
  { startedAt, durationMs }: { startedAt: number; durationMs: number },
): Promise<void> {
  const { endpointId, messageId } = message
  const now = clock.now()
  const tries = message.tries + 1
  const pause = result.pause === undefined ? undefined : Math.min(result.pause, MAX_PAUSE)
  const delay = retryDelay(tries, random.bytes(1).readUInt8() / 255, pause)
  const succeeded = isSuccess(result)
  await database.kysely.transaction().execute(async (trx) => {
    if (succeeded) await noteSuccess(trx, endpointId)
    const failingSince = succeeded
      ? undefined
      : await noteFailure(trx, endpointId, new Date(now), pause === undefined ? null : new Date(now + pause))
    const reason = succeeded ? undefined : disableReason(result, failingSince, now)
    const again = !succeeded && failingSince !== undefined && reason === undefined && delay !== undefined
    const mine = await endAttempt(trx, message, lease, {
      state: succeeded ? 'delivered' : again ? 'pending' : 'failed',
      next: again ? new Date(now + delay) : null,
      tries,
    })
    if (!mine) {
      log.warn(
        { endpointId, messageId },
        'a delivery was not recorded, because its webhook was deleted or its lease had expired',
      )
      return
    }
    attempted?.(succeeded ? 'delivered' : again ? 'tried again' : 'given up')
    const { status = null, error = null, response } = result
    await recordAttempt(trx, message, { startedAt: new Date(startedAt), durationMs, status, error, response })
    if (reason === undefined) return
    await disable(trx, endpointId, reason, new Date(now))
    log.warn({ endpointId, reason }, 'a webhook was disabled')
  })
}

function disableReason(result: AttemptResult, failingSince: Date | undefined, now: number): string | undefined {
  if (failingSince === undefined) return undefined
  if (result.status === 410) return 'the receiver responded with 410 Gone'
  if (now - failingSince.getTime() < WEBHOOK_DISABLE_AFTER) return undefined
  return `every delivery has failed since ${failingSince.toISOString()}; the last one: ${result.error}`.slice(0, 500)
}
