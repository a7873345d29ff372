import { language } from '../texts/index.ts'
import { DEFAULT_LOCALE } from '../texts/language.ts'

/** That of the public pages, so that a date looks the same everywhere. */
const locale = DEFAULT_LOCALE[language]

const moments = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' })
const days = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' })

/** A moment of the JSON API in the reader's own time zone. */
export const atTime = (moment: string) => moments.format(new Date(moment))
/** A moment of the query service, in seconds since 1970. */
export const atUnixTime = (seconds: number) => moments.format(seconds * 1_000)
const seconds = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' })
/** Like atTime, with seconds. */
export const atSecond = (moment: string) => seconds.format(new Date(moment))
export const onDay = (moment: string) => days.format(new Date(moment))

const utcDays = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' })
const shortDays = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' })

/** A UTC day (YYYY-MM-DD). */
export const utcDay = (day: string) => utcDays.format(new Date(day))
/** The UTC day of a time in milliseconds. */
export const utcDayOf = (time: number) => utcDays.format(time)
/** The UTC day of a time in milliseconds, for the axis of a chart. */
export const shortDayOf = (time: number) => shortDays.format(time)
