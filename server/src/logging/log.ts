import { type DestinationStream, type Logger, type LoggerOptions, pino, stdTimeFunctions, symbols } from 'pino'
import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import { isForPeople, sentence } from './log-for-people.ts'

export type { Logger } from 'pino'

/** What a pipe takes from one of several writers without mixing in another's (POSIX: PIPE_BUF). */
const WHOLE_WRITE = 4_000

/**
 * JSON lines on standard error, so that standard output stays for what a person asked for; sentences at a terminal. A write for many lines; none
 * waits longer than a tenth of a second, and the last are written when the process ends.
 * @param worker which of several processes writes; each line names it
 */
export function createLog(config: Pick<Config, 'logLevel'> & { production?: boolean }, worker?: number): Logger {
  const destination = { dest: 2, sync: true, minLength: 16_000, periodicFlush: 100 }
  const stream =
    worker === undefined
      ? byTheTurn(open(destination), destination.minLength)
      : byTheTurn(open({ ...destination, minLength: WHOLE_WRITE / 2, maxWrite: WHOLE_WRITE }), WHOLE_WRITE)
  process.on('exit', () => stream.flushSync())
  const inSentences = { write: (line: string) => stream.write(sentence(line)) }
  const log = pino(logOptions(config.logLevel), isForPeople(process.stderr, config.production) ? inSentences : stream)
  return worker === undefined ? log : log.child({ worker })
}

/** A terminal that was closed refuses the line; the service stops in order all the same. */
function open(options: Parameters<typeof pino.destination>[0]): ReturnType<typeof pino.destination> {
  const destination = pino.destination(options)
  return destination.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EIO') throw error
  })
}

type Flushed = DestinationStream & { flushSync(): void }

/**
 * Hands over together what is written in one turn of the event loop, up to so many bytes: the library measures all that it
 * holds whenever it is given something.
 */
function byTheTurn(destination: Flushed, most: number): Flushed {
  let lines = ''
  let bytes = 0
  let scheduled = false
  const handOver = (): void => {
    const piece = lines
    lines = ''
    bytes = 0
    if (piece !== '') destination.write(piece)
  }
  const endTurn = (): void => {
    scheduled = false
    handOver()
  }
  return {
    write(line) {
      const length = Buffer.byteLength(line)
      if (bytes + length > most) handOver()
      lines += line
      bytes += length
      if (!scheduled) setImmediate(endTurn)
      scheduled = true
    },
    flushSync() {
      handOver()
      destination.flushSync()
    },
  }
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

/** Lines like those of the log, without what the library does for every use: each request writes one. */
export function accessLog(log: Logger, clock: Clock): AccessLog {
  if (!log.isLevelEnabled('info')) return () => {}
  const whose = log.bindings()
  const stream = (log as unknown as Record<symbol, DestinationStream>)[symbols.streamSym] as DestinationStream
  const timestamp = timestamps()
  return (line) => {
    stream.write(`${JSON.stringify({ level: INFO, time: timestamp(clock.now()), ...whose, ...line })}\n`)
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
