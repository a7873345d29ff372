import { expect, test, vi } from 'vitest'
import { SECOND } from '../../src/clock.ts'
import type { Screen } from '../../src/command/output.ts'
import { importDisplay, stepsDisplay } from '../../src/command/progress.ts'
import { noteSlowMigrations } from '../../src/database/slow-migrations.ts'
import { testClock } from '../support/clock.ts'

function screen(terminal: boolean): Screen & { text: string } {
  return {
    text: '',
    isTTY: terminal,
    columns: 120,
    write(text) {
      this.text += text
    },
  }
}
const source = (position: number) => ({
  name: 'points.csv',
  size: 1_000,
  position: () => position,
  bytes: (async function* () {})(),
})

test('redraws one line on a terminal, with a bar, the rate and the time left', () => {
  const [clock, terminal] = [testClock(), screen(true)]
  const display = importDisplay(terminal, clock)
  display.opened(source(250), 'points')
  clock.advance(10 * SECOND)
  display.read(120_000)
  expect(terminal.text).toBe('\r\u001b[2Kreading  ██████░░░░░░░░░░░░░░░░░░  25 %  120,000 lines  12,000/s  0:30 left')
  terminal.text = ''
  display.phase('writing', 480_000)
  clock.advance(75 * SECOND)
  expect(terminal.text).toBe('\r\u001b[2Kstoring  480,000 lines in one transaction  0:00')
  display.close()
  expect(terminal.text.endsWith('\r\u001b[2K')).toBe(true)
})

test('estimates the time left from the lines stored since the first report', () => {
  const [clock, terminal] = [testClock(), screen(true)]
  const display = importDisplay(terminal, clock)
  const last = () => terminal.text.split('\r\u001b[2K').at(-1)
  display.opened(source(1_000), 'points')
  display.phase('writing', 480_000)
  const rows = { what: 'rows', total: 400_000, atMost: false }
  display.stored?.(0, rows)
  clock.advance(30 * SECOND)
  display.stored?.(1_024, rows)
  expect(last()).toBe('storing  ░░░░░░░░░░░░░░░░░░░░░░░░   0 %  1,024 rows')
  clock.advance(5 * SECOND)
  display.stored?.(101_024, rows)
  expect(last()).toBe('storing  ██████░░░░░░░░░░░░░░░░░░  25 %  101,024 rows  20,000/s  0:15 left')
  // Lines that change nothing are not counted, so the total is an upper bound.
  const lines = { what: 'lines', total: 480_000, atMost: true }
  display.stored?.(0, lines)
  clock.advance(SECOND)
  display.stored?.(1_024, lines)
  clock.advance(2 * SECOND)
  display.stored?.(81_024, lines)
  expect(last()).toBe('storing  81,024 of up to 480,000 lines  40,000/s  up to 0:10 left')
  // The entries of the ledger are one statement, without a count.
  display.stored?.(0, { what: 'entries', total: 480_000, atMost: true })
  clock.advance(7 * SECOND)
  display.read(480_000)
  expect(last()).toBe('writing the ledger  0:07')
  display.close()
})

test('writes plain lines to a file, at most one every five seconds', () => {
  const [clock, file] = [testClock(), screen(false)]
  const display = importDisplay(file, clock)
  display.opened(source(500), 'points')
  for (let n = 1; n <= 12; n++) {
    clock.advance(SECOND)
    display.read(n * 1_000)
  }
  display.close()
  expect(file.text.split('\n')).toEqual([
    'importing points from points.csv',
    'reading  ████████████░░░░░░░░░░░░  50 %  5,000 lines  1,000/s  0:05 left',
    'reading  ████████████░░░░░░░░░░░░  50 %  10,000 lines  1,000/s  0:10 left',
    '',
  ])
})

test('shows step, number of steps and time left on a terminal', () => {
  const [clock, terminal] = [testClock(), screen(true)]
  const display = stepsDisplay(terminal, clock, 'ranking', { estimate: true })
  display.begins('one', 1, 4)
  expect(terminal.text).toBe('\r\u001b[2Kranking  ░░░░░░░░░░░░░░░░░░░░░░░░  1 of 4  0:00  one')
  clock.advance(20 * SECOND)
  terminal.text = ''
  display.begins('two', 2, 4)
  expect(terminal.text).toBe('\r\u001b[2Kranking  ██████░░░░░░░░░░░░░░░░░░  2 of 4  0:00  1:00 left  two')
  display.close()
  expect(terminal.text.endsWith('\r\u001b[2K')).toBe(true)
})

test('writes a line to a file for a step that takes longer than five seconds', () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  try {
    const [clock, file] = [testClock(), screen(false)]
    const display = stepsDisplay(file, clock, 'migrating')
    display.begins('a.sql', 1, 2)
    clock.advance(4 * SECOND)
    vi.advanceTimersByTime(4 * SECOND)
    display.begins('b.sql', 2, 2)
    for (let n = 1; n <= 3; n++) {
      clock.advance(4 * SECOND)
      vi.advanceTimersByTime(4 * SECOND)
    }
    display.close()
    expect(file.text).toBe(
      ['8', '12'].map((s) => `migrating  ████████████░░░░░░░░░░░░  2 of 2  0:${s.padStart(2, '0')}  b.sql\n`).join(''),
    )
  } finally {
    vi.useRealTimers()
  }
})

test('logs the name of a slow migration while the service starts', () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  try {
    const lines: object[] = []
    const watch = noteSlowMigrations({ info: (line: object) => void lines.push(line), warn: () => {} })
    watch.begins('a.sql', 1, 2)
    vi.advanceTimersByTime(4 * SECOND)
    watch.applied('a.sql')
    watch.begins('b.sql', 2, 2)
    vi.advanceTimersByTime(11 * SECOND)
    watch.ended()
    vi.advanceTimersByTime(60 * SECOND)
    expect(lines).toEqual([5, 10].map((seconds) => ({ migration: 'b.sql', at: 2, total: 2, seconds })))
  } finally {
    vi.useRealTimers()
  }
})
