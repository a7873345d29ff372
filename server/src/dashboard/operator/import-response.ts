import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '../../clock.ts'
import { ImportFileError } from '../../ingest/source.ts'
import { IMPORT_HEARTBEAT } from '../../lifetimes.ts'

const REPORT_INTERVAL_MS = 250

/** The response of an import: NDJSON with one line per state; the last line is the result. */
export interface ImportResponse {
  /** Aborted if the client disconnects before the response has ended. */
  readonly gone: AbortSignal
  /** Writes a state at once, and repeats it until the next one. */
  report(state: object): void
  /** Writes progress if the last line is old enough. */
  reportProgress(state: object): void
  /** Writes the result, which is the last line. */
  conclude(ended: object): void
  end(): void
}

/**
 * Call it after the whole body was received, because some proxies stop forwarding the body when the response begins.
 * From then on a line is written every few seconds, so that no proxy times out.
 */
export function openImportResponse(request: IncomingMessage, response: ServerResponse, clock: Clock): ImportResponse {
  const stopping = new AbortController()
  let latest: object | undefined
  let reportedAt = 0
  const write = (line: object) => {
    if (!response.headersSent)
      response.writeHead(200, {
        'content-type': 'application/x-ndjson',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
      })
    response.write(`${JSON.stringify(line)}\n`)
  }
  const sendLatest = () => {
    if (latest && request.complete && !response.destroyed) write(latest)
  }
  const heartbeat = setInterval(sendLatest, IMPORT_HEARTBEAT).unref()
  const report = (state: object) => {
    reportedAt = clock.now()
    latest = state
    sendLatest()
  }
  const leave = () => {
    clearInterval(heartbeat)
    if (!response.writableFinished)
      stopping.abort(new ImportFileError('The client has disconnected. Nothing was stored.'))
  }
  // The 'close' event of the request is emitted at the end of its body.
  if (response.destroyed) leave()
  else response.once('close', leave)
  return {
    gone: stopping.signal,
    report,
    reportProgress(state) {
      latest = state
      if (clock.now() - reportedAt >= REPORT_INTERVAL_MS) report(state)
    },
    conclude(ended) {
      clearInterval(heartbeat)
      if (!response.destroyed) write(ended)
    },
    end: () => void response.end(),
  }
}
