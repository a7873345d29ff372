import { locale } from '../texts/index.ts'

const whole = new Intl.NumberFormat(locale)
const change = new Intl.NumberFormat(locale, { signDisplay: 'exceptZero' })
const wholePercent = new Intl.NumberFormat(locale, { style: 'percent', roundingMode: 'floor' })

/** A count with group separators. */
export const number = (count: number) => whole.format(count)

/** A change of a count, with its sign. */
export const signed = (count: number) => change.format(count)

/** A share from 0 to 1 as a whole percentage. */
export const percent = (share: number) => wholePercent.format(share)
