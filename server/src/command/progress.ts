import { type Clock, SECOND } from '../clock.ts'
import type { FileProgress } from '../ingest/import-file.ts'
import type { Phase, Step } from '../ingest/import-rows.ts'
import type { Source } from '../ingest/source.ts'
import { printLine, type Screen } from './output.ts'

const REDRAW = SECOND / 10
const LINE_EVERY = 5 * SECOND
const BAR = 24

export interface ImportDisplay extends FileProgress {
  /** Removes the bar. */
  close(): void
}

/** Shows the progress of an import with rate and remaining time. */
export function importDisplay(screen: Screen, clock: Clock): ImportDisplay {
  const started = clock.now()
  const pause = screen.isTTY ? REDRAW : LINE_EVERY
  let source: Source | undefined
  let phase: Phase = 'reading'
  let phaseStarted = started
  let lines = 0
  let storing: Storing | undefined
  let shownAt = started
  const timer = setInterval(() => show(false), pause)

  function show(now: boolean): void {
    if (!now && clock.now() - shownAt < pause) return
    shownAt = clock.now()
    draw(screen, line())
  }

  function line(): string {
    if (phase === 'reading') return readingLine(source, lines, shownAt - started)
    const elapsed = shownAt - phaseStarted
    if (phase === 'publishing') return `publishing the new list  ${duration(elapsed)}`
    if (storing?.step.what === 'entries') return `writing the ledger  ${duration(shownAt - storing.since)}`
    const first = storing?.first
    if (!storing || !first) return `storing  ${count(lines)} lines in one transaction  ${duration(elapsed)}`
    return storingLine(storing.step, storing.stored, storing.stored - first.stored, shownAt - first.at)
  }

  return {
    opened(opened, kind) {
      source = opened
      if (!screen.isTTY)
        screen.write(`importing ${kind} from ${opened.name === '-' ? 'standard input' : opened.name}\n`)
    },
    read(read) {
      lines = read
      show(false)
    },
    phase(next, read) {
      phase = next
      lines = read
      phaseStarted = clock.now()
      if (screen.isTTY) show(true)
    },
    stored(stored, step) {
      const isNew = storing?.step !== step
      const first = isNew ? undefined : storing?.first
      const since = isNew ? clock.now() : (storing?.since ?? clock.now())
      // The time before the first rows, such as sorting, is excluded from the rate.
      storing = { step, stored, since, first: first ?? (stored > 0 ? { stored, at: clock.now() } : undefined) }
      show(false)
    },
    close() {
      clearInterval(timer)
      if (screen.isTTY) screen.write('\r\u001b[2K')
    },
  }
}

/** The progress of a step, and the state when its first rows were stored. */
interface Storing {
  step: Step
  stored: number
  /** When the step began. */
  since: number
  first: { stored: number; at: number } | undefined
}

export interface StepsDisplay {
  /** Starts the next step; `at` counts from 1. */
  begins(what: string, at: number, total: number): void
  /** Prints a result line. */
  say(line: string): void
  /** Removes the step. */
  close(): void
}

/**
 * Shows the progress of several steps: a bar on a terminal, else a line every five seconds.
 * @param options.estimate shows the remaining time; for steps that take about the same time each
 */
export function stepsDisplay(screen: Screen, clock: Clock, doing: string, { estimate = false } = {}): StepsDisplay {
  const started = clock.now()
  let step: { what: string; at: number; total: number; since: number } | undefined
  const timer = setInterval(show, screen.isTTY ? REDRAW : LINE_EVERY)
  const clear = () => screen.isTTY && screen.write('\r\u001b[2K')

  function show(): void {
    if (!step) return
    const { what, at, total, since } = step
    const done = at - 1
    const left = estimate && done > 0 ? `  ${duration(((clock.now() - started) / done) * (total - done))} left` : ''
    const text = `${doing}  ${bar(done / total)}  ${at} of ${total}  ${duration(clock.now() - since)}${left}  ${what}`
    draw(screen, text)
  }

  return {
    begins(what, at, total) {
      step = { what, at, total, since: clock.now() }
      if (screen.isTTY) show()
      else timer.refresh()
    },
    say(line) {
      clear()
      printLine(line)
    },
    close() {
      clearInterval(timer)
      clear()
    },
  }
}

export interface RowsDisplay {
  /** @param share the done part, 0 to 1 */
  wrote(rows: number, share: number): void
  /** Removes the bar, or prints the last line. */
  close(): void
}

/** Shows the progress of an export with rate and remaining time. */
export function rowsDisplay(screen: Screen, clock: Clock, what: string): RowsDisplay {
  const started = clock.now()
  const pause = screen.isTTY ? REDRAW : LINE_EVERY
  let shownAt = started
  let written = 0
  return {
    wrote(rows, share) {
      written += rows
      const elapsed = clock.now() - started
      if (clock.now() - shownAt < pause) return
      shownAt = clock.now()
      const left = share > 0 ? `${duration((elapsed * (1 - share)) / share)} left` : ''
      const rate = `${count((written * SECOND) / Math.max(elapsed, 1))}/s`
      draw(screen, `exporting  ${bar(share)} ${percent(share)}  ${count(written)} ${what}  ${rate}  ${left}`.trimEnd())
    },
    close() {
      if (screen.isTTY) screen.write('\r\u001b[2K')
      screen.write(`exported ${count(written)} ${what} in ${duration(clock.now() - started)}\n`)
    },
  }
}

/** Shows a line, cut to the width of the terminal. */
function draw(screen: Screen, text: string): void {
  screen.write(screen.isTTY ? `\r\u001b[2K${text.slice(0, (screen.columns || 80) - 1)}` : `${text}\n`)
}

function bar(share: number): string {
  const full = Math.round(share * BAR)
  return '█'.repeat(full) + '░'.repeat(BAR - full)
}

function readingLine(source: Source | undefined, lines: number, elapsed: number): string {
  const rate = `${count(lines)} lines  ${count((lines * SECOND) / Math.max(elapsed, 1))}/s`
  const done = source?.size ? source.position() / source.size : undefined
  if (done === undefined) return `reading  ${rate}  ${duration(elapsed)}`
  const left = done > 0 ? `${duration((elapsed * (1 - done)) / done)} left` : ''
  return `reading  ${bar(done)} ${percent(done)}  ${rate}  ${left}`.trimEnd()
}

/** @param since the number of items stored within `elapsed` */
function storingLine({ what, total, atMost }: Step, stored: number, since: number, elapsed: number): string {
  const most = atMost ? 'up to ' : ''
  const rate = since > 0 && elapsed > 0 ? since / elapsed : undefined
  const left = rate && `${count(rate * SECOND)}/s  ${most}${duration((total - stored) / rate)} left`
  const done = atMost
    ? `${count(stored)} of ${most}${count(total)} ${what}`
    : `${bar(stored / total)} ${percent(stored / total)}  ${count(stored)} ${what}`
  return ['storing', done, left].filter((part) => part !== undefined).join('  ')
}

const percent = (share: number) => `${String(Math.floor(share * 100)).padStart(3)} %`

export function count(value: number): string {
  return Math.round(value).toLocaleString('en-US')
}

/** Hours, minutes and seconds: 0:07, 12:30, 1:02:03. */
export function duration(milliseconds: number): string {
  const seconds = Math.round(milliseconds / SECOND)
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
  const two = (value: number) => String(value).padStart(2, '0')
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`
}
