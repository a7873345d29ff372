import { expect, test } from 'vitest'
import { SECOND } from '../../src/clock.ts'
import { importDisplay, type Screen } from '../../src/command/progress.ts'
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

test('a terminal gets one line that is drawn again, with a bar, the rate and the time left', () => {
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

test('anything else gets plain lines, not more often than every five seconds', () => {
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
