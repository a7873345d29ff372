import { type DestinationStream, type Logger, type LoggerOptions, pino, stdTimeFunctions, symbols } from 'pino'
import type { Clock } from './clock.ts'
import type { Config } from './config.ts'

export type { Logger } from 'pino'

/** What a pipe takes from one of several writers without mixing in another's (POSIX: PIPE_BUF). */
const WHOLE_WRITE = 4_000

/**
 * JSON lines on standard error, so that standard output stays for what a person asked for.
 * @param worker which of several processes writes; each line names it
 */
export function createLog(config: Pick<Config, 'logLevel'>, worker?: number): Logger {
  // A write for many lines; none waits longer than this, and the last are written when the process ends.
  const destination = { dest: 2, sync: true, minLength: 16_000, periodicFlush: 100 }
  if (worker === undefined) return pino(logOptions(config.logLevel), pino.destination(destination))
  const whole = { ...destination, minLength: (WHOLE_WRITE * 3) / 4, maxWrite: WHOLE_WRITE }
  return pino(logOptions(config.logLevel), pino.destination(whole)).child({ worker })
}

/** What each line has (docs/watch.md), and what never stands in one. */
export const logOptions = (level: string): LoggerOptions => ({
  level,
  base: null,
  timestamp: stdTimeFunctions.isoTime,
  redact: ['*.token', '*.authorization', '*.password'],
})

/** A log that writes nothing, for commands and tests that do not look at it. */
export const silentLog: Logger = pino({ level: 'silent' })

/** Writes a line for a request; what it is given must hold no secrets. */
export type AccessLog = (line: Readonly<Record<string, string | number | undefined>>) => void

const INFO = 30

/**
 * Lines like those of the log, without what the library does for every use: each request writes one. Those of one turn of
 * the event loop are handed over together, since the library measures all that it holds with each piece that it is given.
 */
export function accessLog(log: Logger, clock: Clock): AccessLog {
  if (!log.isLevelEnabled('info')) return () => {}
  const whose = log.bindings()
  const stream = (log as unknown as Record<symbol, DestinationStream>)[symbols.streamSym] as DestinationStream
  const timestamp = timestamps()
  let lines = ''
  let scheduled = false
  const handOver = (): void => {
    const piece = lines
    lines = ''
    if (piece !== '') stream.write(piece)
  }
  const endTurn = (): void => {
    scheduled = false
    handOver()
  }
  return (line) => {
    if (!scheduled) setImmediate(endTurn)
    scheduled = true
    lines += `${JSON.stringify({ level: INFO, time: timestamp(clock.now()), ...whose, ...line })}\n`
    if (lines.length >= WHOLE_WRITE / 2) handOver()
  }
}

/** RFC 3339, spelt once for all lines of a millisecond. */
function timestamps(): (now: number) => string {
  let last = Number.NaN
  let text = ''
  return (now) => {
    if (now === last) return text
    last = now
    text = new Date(now).toISOString()
    return text
  }
}
