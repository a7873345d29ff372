import type { Format } from './format.ts'

/** The formats of a language for pages that the service renders. Times are in UTC. */
export interface PageFormat extends Format {
  decimal: (value: number) => string
  /** A whole share of a hundred. */
  percent: (value: number) => string
  /** A change, such as 0.05, as a percentage with its sign. */
  rate: (value: number) => string
  /** @param seconds since 1970 */
  date: (seconds: number) => string
  /** @param seconds since 1970 */
  time: (seconds: number) => string
}

export function pageFormatFor(locale: string): Omit<PageFormat, keyof Format> {
  const decimals = new Intl.NumberFormat(locale, { maximumFractionDigits: 2 })
  const percents = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0 })
  const rates = new Intl.NumberFormat(locale, {
    style: 'percent',
    maximumFractionDigits: 1,
    signDisplay: 'exceptZero',
  })
  const dates = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' })
  const times = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })
  return {
    decimal: (value) => decimals.format(value),
    percent: (value) => percents.format(value / 100),
    rate: (value) => rates.format(value),
    date: (seconds) => dates.format(seconds * 1000),
    time: (seconds) => times.format(seconds * 1000),
  }
}
