import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { SystemClock } from '../clock.ts'
import { dropConnection } from '../http/drop-connection.ts'
import { LIVE_STALLED, LIVE_STREAM_LIFETIME } from '../lifetimes.ts'
import { detach } from './detach.ts'
import type { Subscription } from './subscription.ts'

/** One connection with `text/event-stream`. */
export interface EventStream {
  readonly subscription: Subscription
  /** Whether the connection has closed, or the stream has ended. */
  readonly isOver: boolean
  /**
   * Sends an event. A client that reads too slowly misses it; `onReadAgain` is called when the client has read the events
   * before it.
   */
  send(event: string | Buffer): void
  /** Keeps the connection open, or ends it if it is too old or the client has stopped reading. */
  beat(): void
  /** Closes the connection after the client has read the rest; if it is called again, at once. */
  end(): void
}

const COMMENT = Buffer.from(':\n\n')
const HEAD = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-content-type-options': 'nosniff',
  // nginx would collect events in its buffer.
  'x-accel-buffering': 'no',
  // The end of the connection is the end of the stream.
  connection: 'close',
}

export interface StreamOptions {
  clock: SystemClock
  headers: Record<string, string>
  /** Milliseconds that a client waits after the end before it connects again. */
  reconnectAfter: number
}

/** The listener of one stream. An object with methods needs less memory than a function for each event. */
export interface StreamListener {
  onReadAgain(): void
  /** The connection is closed, because the client has read nothing for too long. */
  onStalled(): void
  /** The connection leaves the HTTP server. */
  onDetach(socket: Socket): void
  /** Called once, when the connection closes. */
  onClose(): void
}

/** The head of the response is sent with the first event or beat. Until then, another response can be sent. */
export function openEventStream(
  response: ServerResponse,
  subscription: Subscription,
  options: StreamOptions,
  listener: StreamListener,
): EventStream {
  return new Stream(response, subscription, options, listener)
}

/** A process has thousands of streams, so each has few properties and one closure. */
class Stream implements EventStream {
  readonly subscription: Subscription
  readonly #clock: SystemClock
  readonly #since: number
  readonly #listener: StreamListener
  #socket: Socket | undefined
  /** Until the first event. */
  #opening: { response: ServerResponse; options: StreamOptions } | undefined
  #stalledSince: number | undefined
  #hasMissed = false

  constructor(response: ServerResponse, subscription: Subscription, options: StreamOptions, listener: StreamListener) {
    this.subscription = subscription
    this.#clock = options.clock
    this.#since = options.clock.monotonic()
    this.#listener = listener
    this.#opening = { response, options }
    response.once('close', () => {
      if (this.#opening) listener.onClose()
    })
  }

  get isOver(): boolean {
    const { response } = this.#opening ?? {}
    return response ? response.destroyed : !this.#socket?.writable
  }

  send(event: string | Buffer): void {
    if (this.isOver) return
    if (this.#stalledSince === undefined) this.#write(event)
    else this.#hasMissed = true
  }

  beat(): void {
    const now = this.#clock.monotonic()
    if (this.#stalledSince !== undefined) {
      if (now - this.#stalledSince <= LIVE_STALLED) return
      // A stream that has ended only waits for the rest to be read.
      if (!this.isOver) this.#listener.onStalled()
      this.#drop()
    } else if (now - this.#since > LIVE_STREAM_LIFETIME) this.end()
    else if (!this.isOver) this.#write(COMMENT)
  }

  end(): void {
    if (this.#opening) this.#open()
    // A client that reads nothing would not receive the end.
    if (this.#stalledSince !== undefined) return this.#drop()
    const socket = this.#socket
    if (!socket) return
    // The connection closes when the client has read the rest. If it does not, a beat or a second call closes it.
    if (socket.writableLength > 0) this.#stalledSince = this.#clock.monotonic()
    socket.destroySoon()
  }

  #drop(): void {
    if (this.#socket) dropConnection(this.#socket)
  }

  #write(text: string | Buffer): void {
    if (this.#opening) this.#open()
    const socket = this.#socket
    if (!socket || socket.write(text) || this.#stalledSince !== undefined) return
    this.#stalledSince = this.#clock.monotonic()
    socket.once('drain', () => this.#drained())
  }

  #drained(): void {
    this.#stalledSince = undefined
    if (!this.#hasMissed) return
    this.#hasMissed = false
    this.#listener.onReadAgain()
  }

  #open(): void {
    const { response, options } = this.#opening ?? {}
    this.#opening = undefined
    const socket = response?.socket
    if (!response || !options || !socket) return
    this.#socket = socket
    const listener = this.#listener
    listener.onDetach(socket)
    detach(response, socket)
    socket.setTimeout(0)
    socket.on('close', () => listener.onClose())
    socket.on('error', ignore)
    // Clients send no more data. Reading detects that they close the connection.
    socket.on('end', destroySoon)
    socket.resume()
    const head = { ...HEAD, date: new Date(options.clock.now()).toUTCString(), ...options.headers }
    const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}\r\n`)
    socket.write(`HTTP/1.1 200 OK\r\n${lines.join('')}\r\nretry: ${options.reconnectAfter}\n\n`)
  }
}

/** The event `close` follows. */
function ignore(): void {}

function destroySoon(this: Socket): void {
  this.destroySoon()
}

/** @param id the version, which the client sends as `Last-Event-ID` when it connects again */
export const eventText = (name: string, id: number, data: string): string =>
  `id: ${id}\nevent: ${name}\ndata: ${data}\n\n`
