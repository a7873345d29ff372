import { isatty } from 'node:tty'
import { type DestinationStream, type Logger, type LoggerOptions, pino, stdTimeFunctions, symbols } from 'pino'
import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import { createLineFormatter, isForPeople } from './log-for-people.ts'

export type { Logger } from 'pino'

const STDERR = 2
/** Writes of at most PIPE_BUF bytes are atomic, so lines of several workers on one pipe do not mix. */
const ATOMIC_WRITE_BYTES = 4_000

/**
 * Writes the log to standard error: JSON lines, or text on a terminal. Standard output is for the results of commands.
 * Lines are buffered for at most 100 ms and flushed when the process exits.
 * @param worker - number of the worker; every line contains it
 */
export function createLog(config: Pick<Config, 'logLevel'> & { production?: boolean }, worker?: number): Logger {
  const destination = { dest: STDERR, sync: true, minLength: 16_000, periodicFlush: 100 }
  const stream =
    worker === undefined
      ? batchByTurn(open(destination), destination.minLength)
      : batchByTurn(
          open({ ...destination, minLength: ATOMIC_WRITE_BYTES / 2, maxWrite: ATOMIC_WRITE_BYTES }),
          ATOMIC_WRITE_BYTES,
        )
  // At a write to a closed terminal, the library would retry forever.
  const hasStream = () => process.stderr.isTTY !== true || isatty(STDERR)
  process.on('exit', () => hasStream() && stream.flushSync())
  const log = pino(
    logOptions(config.logLevel),
    isForPeople(process.stderr, config.production) ? formatted(stream) : stream,
  )
  return worker === undefined ? log : log.child({ worker })
}

function formatted(stream: DestinationStream): DestinationStream {
  const format = createLineFormatter(process.stderr.hasColors())
  return { write: (line) => stream.write(format(line)) }
}

/** Writing to a closed terminal fails with EIO. This must not prevent an orderly shutdown. */
function open(options: Parameters<typeof pino.destination>[0]): ReturnType<typeof pino.destination> {
  const destination = pino.destination(options)
  return destination.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EIO') throw error
  })
}

type Flushed = DestinationStream & { flushSync(): void }

/**
 * Joins the lines of one turn of the event loop, up to `maxBytes`, into one write. `pino.destination` measures its
 * whole buffer at each write, which costs more than the line.
 */
function batchByTurn(destination: Flushed, maxBytes: number): Flushed {
  let lines = ''
  let bytes = 0
  let scheduled = false
  const flush = (): void => {
    const batch = lines
    lines = ''
    bytes = 0
    if (batch !== '') destination.write(batch)
  }
  const endTurn = (): void => {
    scheduled = false
    flush()
  }
  return {
    write(line) {
      const length = Buffer.byteLength(line)
      if (bytes + length > maxBytes) flush()
      lines += line
      bytes += length
      if (!scheduled) setImmediate(endTurn)
      scheduled = true
    },
    flushSync() {
      flush()
      destination.flushSync()
    },
  }
}

/** Fields of every line: docs/watch.md. */
export const logOptions = (level: string): LoggerOptions => ({
  level,
  base: null,
  timestamp: stdTimeFunctions.isoTime,
  redact: ['*.token', '*.authorization', '*.password'],
})

/** Discards every line. */
export const silentLog: Logger = pino({ level: 'silent' })

/** Writes one line for a request. The caller must not pass secrets. */
export type AccessLog = (line: Readonly<Record<string, string | number | undefined>>) => void

const INFO = 30

/** Writes lines as `log` does, without pino's work for options that the lines of requests do not use. */
export function accessLog(log: Logger, clock: Clock): AccessLog {
  if (!log.isLevelEnabled('info')) return () => {}
  const bindings = log.bindings()
  const stream = (log as unknown as Record<symbol, DestinationStream>)[symbols.streamSym] as DestinationStream
  const timestamp = timestamps()
  return (line) => {
    stream.write(`${JSON.stringify({ level: INFO, time: timestamp(clock.now()), ...bindings, ...line })}\n`)
  }
}

/** Formats a time as RFC 3339 and keeps the text for other lines of the same millisecond. */
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
