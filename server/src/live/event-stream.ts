import type { ServerResponse } from 'node:http'
import type { MonotonicClock } from '../clock.ts'
import { LIVE_STALLED, LIVE_STREAM_LIFETIME } from '../lifetimes.ts'
import type { Subscription } from './subscription.ts'

/** One connection with `text/event-stream`. */
export interface EventStream {
  readonly subscription: Subscription
  /**
   * Sends an event. A client that reads too slowly misses it; `onReadAgain` is called when the client has read the events
   * before it.
   */
  send(event: string | Buffer): void
  /** Keeps the connection open, or ends it if it is too old or the client has stopped reading. */
  beat(): void
  end(): void
}

const COMMENT = ':\n\n'
const HEAD = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-content-type-options': 'nosniff',
  // nginx would collect events in its buffer.
  'x-accel-buffering': 'no',
}

export interface StreamOptions {
  clock: MonotonicClock
  headers: Record<string, string>
  /** Milliseconds that a client waits after the end before it connects again. */
  reconnectAfter: number
  onReadAgain: () => void
}

/** The head of the response is sent with the first event or beat. */
export function openEventStream(
  response: ServerResponse,
  subscription: Subscription,
  { clock, headers, reconnectAfter, onReadAgain }: StreamOptions,
): EventStream {
  // Without chunks, each event is one write to the socket. The end of the connection is the end of the stream.
  response.shouldKeepAlive = false
  response.useChunkedEncodingByDefault = false
  const since = clock.monotonic()
  let stalledSince: number | undefined
  let hasMissed = false

  response.on('drain', () => {
    stalledSince = undefined
    if (!hasMissed) return
    hasMissed = false
    onReadAgain()
  })

  function write(text: string | Buffer): void {
    if (!response.headersSent) {
      response.writeHead(200, { ...HEAD, ...headers })
      response.write(`retry: ${reconnectAfter}\n\n`)
    }
    if (!response.write(text)) stalledSince = clock.monotonic()
  }

  return {
    subscription,
    send(event) {
      if (response.destroyed || response.writableEnded) return
      if (stalledSince === undefined) write(event)
      else hasMissed = true
    },
    beat() {
      const now = clock.monotonic()
      if (stalledSince !== undefined) {
        if (now - stalledSince > LIVE_STALLED) response.destroy()
      } else if (now - since > LIVE_STREAM_LIFETIME) response.end()
      else if (!response.destroyed && !response.writableEnded) write(COMMENT)
    },
    end() {
      // A client that reads nothing would not receive the end.
      if (stalledSince === undefined) response.end()
      else response.destroy()
    },
  }
}

/** @param id the version, which the client sends as `Last-Event-ID` when it connects again */
export const eventText = (name: string, id: number, data: string): string =>
  `id: ${id}\nevent: ${name}\ndata: ${data}\n\n`
