import { expect, test } from 'vitest'
import { INCOMPLETE, localOf, momentIn } from '../src/shell/moment.ts'

const local = '2026-11-21T12:30'

test('is the moment that was entered, and shows it again', () => {
  const moment = momentIn(local, false)
  expect(Date.parse(moment ?? '')).toBe(new Date(local).getTime())
  expect(localOf(moment)).toBe(local)
})

test('is none for an empty field, and no time for a half entered date', () => {
  expect(momentIn('', false)).toBeNull()
  expect(momentIn('', true)).toBe(INCOMPLETE)
  expect(Number.isNaN(Date.parse(INCOMPLETE))).toBe(true)
  expect(localOf(null)).toBe('')
  expect(localOf(INCOMPLETE)).toBe('')
})

test('keeps a year of five digits as it was entered', () => {
  expect(momentIn('12026-01-01T00:00', false)).toBe('12026-01-01T00:00')
  expect(localOf('12026-01-01T00:00')).toBe('12026-01-01T00:00')
})

test('shows no moment outside of the calendar', () => {
  expect(localOf('+275760-09-13T00:00:00.000Z')).not.toContain('NaN')
})
