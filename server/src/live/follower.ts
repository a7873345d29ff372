import type { Socket } from 'node:net'
import type { MonotonicClock } from '../clock.ts'
import type { Metrics } from '../http/metrics.ts'
import type { AccessLog } from '../logging/log.ts'
import type { StreamListener } from './event-stream.ts'
import type { Membership } from './feeds.ts'
import type { StreamSlot } from './stream-slots.ts'

/** The parts that all followers of a process share. */
export interface FollowerParts {
  clock: MonotonicClock
  accessLog: AccessLog
  metrics: Pick<Metrics, 'liveStalled'>
  /** A stream does not count as a connection, because it has its own limit. */
  releaseConnection: (socket: Socket) => void
}

/** The client of one stream, from its request to its end. A process has thousands, so it has no closures. */
export class Follower implements StreamListener {
  readonly #parts: FollowerParts
  readonly #requestId: string
  readonly #tokenId: string
  readonly #started: number
  /** Set when the client takes one. */
  slot: StreamSlot | undefined
  /** Set when the stream is open. */
  membership: Membership | undefined

  constructor(parts: FollowerParts, { requestId, tokenId }: { requestId: string; tokenId: string }, started: number) {
    this.#parts = parts
    this.#requestId = requestId
    this.#tokenId = tokenId
    this.#started = started
  }

  /** Whole milliseconds since the request. */
  duration(): number {
    return Math.round(this.#parts.clock.monotonic() - this.#started)
  }

  log(status: number): void {
    const [ids, ms] = [{ request_id: this.#requestId, token_id: this.#tokenId }, this.duration()]
    this.#parts.accessLog({ ...ids, operation: 'live', status, ms, msg: 'stream' })
  }

  onReadAgain(): void {
    this.membership?.sendWhole()
  }

  onStalled(): void {
    this.#parts.metrics.liveStalled()
  }

  onDetach(socket: Socket): void {
    this.#parts.releaseConnection(socket)
  }

  onClose(): void {
    this.slot?.leave()
    if (!this.membership) return
    this.membership.leave()
    this.log(200)
  }
}
