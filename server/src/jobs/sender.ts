import { type SystemClock, SECOND } from '../clock.ts'
import { DELIVERY_LEASE } from '../lifetimes.ts'
import type { Random } from '../random.ts'
import { type Job, pause } from './jobs.ts'
import { type RunningWork, runningWork } from './running-work.ts'

const POLL_INTERVAL = SECOND / 2
/** The delay between the end of a request and the next claim, so that one claim can replace several ended requests. */
const CLAIM_DELAY = 10
/** At shutdown, running requests are aborted after this time. */
const STOP_TIMEOUT = 5 * SECOND

/** The outcome of an attempt to send a message. 'tried again': it failed, and another attempt follows. */
export type Outcome = 'delivered' | 'tried again' | 'given up'

export interface Claim {
  lease: string
  now: Date
  /** The end of the lease, after which another process may claim the messages. */
  until: Date
  limit: number
  /** The running requests of this process by receiver. */
  busy: ReadonlyMap<string, number>
}

/** Messages to other services, stored until they are delivered. */
export interface Queue<Message> {
  /** The maximum of concurrent requests of one process. */
  maxRequests: number
  receiverOf(message: Message): string
  /** Leases due messages to this process. */
  claim(claim: Claim): Promise<Message[]>
  /** Sends a message once, and records the result. */
  deliver(message: Message, lease: string, signal: AbortSignal): Promise<void>
  /** Called if the result could not be recorded. */
  onError(error: unknown, message: Message): void
}

export interface SenderDependencies {
  clock: SystemClock
  random: Random
}

/** Sends due messages. Several processes can send from a queue, because each message is leased to one of them. */
export interface Sender {
  /** Claims the messages that are due at `now`, and starts to send them. Returns their number. */
  begin(now?: number): Promise<number>
}

/** @param running if its signal is aborted, the running requests end, and their messages become due at once */
export function createSender<Message>(
  queue: Queue<Message>,
  { clock, random }: SenderDependencies,
  running: RunningWork,
): Sender {
  const busy = new Map<string, number>()

  async function send(message: Message, lease: string): Promise<void> {
    const receiver = queue.receiverOf(message)
    busy.set(receiver, (busy.get(receiver) ?? 0) + 1)
    await queue.deliver(message, lease, running.signal).catch((error: unknown) => queue.onError(error, message))
    const left = (busy.get(receiver) ?? 1) - 1
    if (left === 0) busy.delete(receiver)
    else busy.set(receiver, left)
  }

  return {
    async begin(now = clock.now()) {
      const limit = queue.maxRequests - running.size
      if (limit <= 0 || running.signal.aborted) return 0
      const lease = random.uuid()
      const until = new Date(now + DELIVERY_LEASE)
      const claimed = await queue.claim({ lease, now: new Date(now), until, limit, busy })
      for (const message of claimed) running.add(send(message, lease))
      return claimed.length
    },
  }
}

/** Sends from a queue in the background. If a request is aborted at shutdown, another process sends its message again. */
export function senderJob<Message>(name: string, queue: Queue<Message>, deps: SenderDependencies): Job {
  const running = runningWork()
  const sender = createSender(queue, deps, running)
  return {
    name,
    async run({ now, signal }) {
      if ((await sender.begin(now)) === 0) return POLL_INTERVAL
      // More messages may be due than can be sent at once, so wait until a request has ended.
      await Promise.race([running.oneEnded(), pause(POLL_INTERVAL, signal)])
      return CLAIM_DELAY
    },
    stop: () => running.stop(STOP_TIMEOUT),
  }
}
