import { type IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { SECOND } from '../clock.ts'
import { ANSWER_DEADLINE } from '../lifetimes.ts'

/** Bytes of answers that may wait in a process for their readers. */
export const MOST_UNSENT = 64 * 1024 * 1024

/** Answers that were given, and that their readers have not taken. */
export interface UnsentAnswers {
  /** What a server has to make its responses of, so that they are noticed. */
  Answer: typeof ServerResponse
  readonly bytes: number
  /** Answers whose connections were closed since the start. */
  readonly givenUp: number
}

interface Unsent {
  socket: Socket
  bytes: number
  since: number
}

/**
 * Limits the memory of responses that clients do not read. A client that reads nothing of a response for `patience`
 * milliseconds loses its connection. Above `most` waiting bytes, so do the clients that have been waiting longest.
 */
export function unsentAnswers({ most = MOST_UNSENT, patience = ANSWER_DEADLINE } = {}): UnsentAnswers {
  // In the order in which they were given.
  const waiting = new Map<ServerResponse, Unsent>()
  let bytes = 0
  let givenUp = 0
  let looking: NodeJS.Timeout | undefined

  function forget(response: ServerResponse): void {
    bytes -= waiting.get(response)?.bytes ?? 0
    waiting.delete(response)
    if (waiting.size > 0) return
    clearInterval(looking)
    looking = undefined
  }

  function giveUp(response: ServerResponse, { socket }: Unsent): void {
    forget(response)
    givenUp++
    socket.destroy()
  }

  function look(): void {
    const now = performance.now()
    for (const [response, unsent] of waiting) {
      const left = unsent.socket.writableLength
      if (left < unsent.bytes) unsent.since = now
      bytes += left - unsent.bytes
      unsent.bytes = left
      if (unsent.since <= now - patience) giveUp(response, unsent)
    }
  }

  function add(response: ServerResponse, socket: Socket): void {
    if (waiting.has(response)) return
    const { writableLength } = socket
    waiting.set(response, { socket, bytes: writableLength, since: performance.now() })
    bytes += writableLength
    response.once('close', () => forget(response))
    looking ??= setInterval(look, Math.min(SECOND, patience)).unref()
    for (const [oldest, unsent] of waiting) {
      if (bytes <= most || oldest === response) return
      giveUp(oldest, unsent)
    }
  }

  class Answer<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
    override end(chunk?: unknown, encoding?: unknown, callback?: unknown): this {
      super.end(chunk, encoding as BufferEncoding, callback as () => void)
      // Most are taken at once by the system.
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
