import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '../clock.ts'
import { ImportFileError } from '../ingest/source.ts'
import { IMPORT_HEARTBEAT } from '../lifetimes.ts'

const TELL_EVERY_MS = 250

/** The answer to an import: NDJSON, a line for each state and a last one for how it ended. */
export interface ImportAnswer {
  /** Aborted when the sender goes before the answer has ended. */
  readonly gone: AbortSignal
  /** What goes on: said at once, and again until something else goes on. */
  tell(state: object): void
  /** How far it has come; said when the line before is a moment old. */
  tellNowAndThen(state: object): void
  /** How it ended: nothing is told after that. */
  conclude(ended: object): void
  end(): void
}

/**
 * Begins once the body has come whole: a proxy that has got the beginning of an answer passes no more of the body on.
 * From then on a line comes every few seconds, so that no proxy takes the silence of a long statement for an end.
 */
export function answerImport(request: IncomingMessage, response: ServerResponse, clock: Clock): ImportAnswer {
  const stopping = new AbortController()
  let latest: object | undefined
  let toldAt = 0
  const write = (line: object) => {
    if (!response.headersSent)
      response.writeHead(200, {
        'content-type': 'application/x-ndjson',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
      })
    response.write(`${JSON.stringify(line)}\n`)
  }
  const say = () => {
    if (latest && request.complete && !response.destroyed) write(latest)
  }
  const heartbeat = setInterval(say, IMPORT_HEARTBEAT).unref()
  const tell = (state: object) => {
    toldAt = clock.now()
    latest = state
    say()
  }
  const leave = () => {
    clearInterval(heartbeat)
    if (!response.writableFinished) stopping.abort(new ImportFileError('The sender has gone. Nothing was stored.'))
  }
  // The request's own 'close' comes as soon as its body has ended.
  if (response.destroyed) leave()
  else response.once('close', leave)
  return {
    gone: stopping.signal,
    tell,
    tellNowAndThen(state) {
      latest = state
      if (clock.now() - toldAt >= TELL_EVERY_MS) tell(state)
    },
    conclude(ended) {
      clearInterval(heartbeat)
      if (!response.destroyed) write(ended)
    },
    end: () => void response.end(),
  }
}
