import { type Logger, type LoggerOptions, pino, stdTimeFunctions } from 'pino'
import type { Config } from './config.ts'

export type { Logger } from 'pino'

/** JSON lines on standard error, so that standard output stays for what a person asked for. */
export function createLog(config: Pick<Config, 'logLevel'>): Logger {
  // A write for many lines; none waits longer than this, and the last are written when the process ends.
  const destination = pino.destination({ dest: 2, sync: false, minLength: 16_000, periodicFlush: 100 })
  return pino(logOptions(config.logLevel), destination)
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
