import { type IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type MonotonicClock, SECOND } from '../clock.ts'
import { ANSWER_DEADLINE } from '../lifetimes.ts'
import { dropConnection } from './drop-connection.ts'

/** Bytes of responses that may wait in a process for their clients. */
export const MAX_UNSENT_BYTES = 64 * 1024 * 1024

/** Complete responses that clients have not read yet. */
export interface UnsentResponses {
  /** The response class for servers, which reports unread responses. */
  Answer: typeof ServerResponse
  readonly bytes: number
  /** Responses whose connections were closed since the start. */
  readonly givenUp: number
}

interface Unsent {
  socket: Socket
  bytes: number
  since: number
}

/**
 * Limits the memory of responses that clients do not read. A client that does not read a response for `timeout`
 * milliseconds loses its connection. Above `max` waiting bytes, the clients with the oldest responses lose theirs, too.
 */
export function unsentResponses(
  clock: MonotonicClock,
  { max = MAX_UNSENT_BYTES, timeout = ANSWER_DEADLINE } = {},
): UnsentResponses {
  // In the order of their completion.
  const waiting = new Map<ServerResponse, Unsent>()
  let bytes = 0
  let givenUp = 0
  let timer: NodeJS.Timeout | undefined

  function forget(response: ServerResponse): void {
    bytes -= waiting.get(response)?.bytes ?? 0
    waiting.delete(response)
    if (waiting.size > 0) return
    clearInterval(timer)
    timer = undefined
  }

  function giveUp(response: ServerResponse, { socket }: Unsent): void {
    forget(response)
    givenUp++
    dropConnection(socket)
  }

  function checkAll(): void {
    const now = clock.monotonic()
    for (const [response, unsent] of waiting) {
      const left = unsent.socket.writableLength
      if (left < unsent.bytes) unsent.since = now
      bytes += left - unsent.bytes
      unsent.bytes = left
      if (unsent.since <= now - timeout) giveUp(response, unsent)
    }
  }

  function add(response: ServerResponse, socket: Socket): void {
    if (waiting.has(response)) return
    const { writableLength } = socket
    waiting.set(response, { socket, bytes: writableLength, since: clock.monotonic() })
    bytes += writableLength
    response.once('close', () => forget(response))
    timer ??= setInterval(checkAll, Math.min(SECOND, timeout)).unref()
    for (const [oldest, unsent] of waiting) {
      if (bytes <= max || oldest === response) return
      giveUp(oldest, unsent)
    }
  }

  class Answer<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
    override end(chunk?: unknown, encoding?: unknown, callback?: unknown): this {
      super.end(chunk, encoding as BufferEncoding, callback as () => void)
      // Usually the system accepts the whole response at once.
      const { socket } = this
      if (socket !== null && socket.writableLength > 0) add(this, socket)
      return this
    }
  }

  return {
    Answer,
    get bytes() {
      return bytes
    },
    get givenUp() {
      return givenUp
    },
  }
}
