const moments = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' })
const days = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium' })

/** A moment of the JSON API in the reader's own time zone. */
export const atTime = (moment: string) => moments.format(new Date(moment))
export const onDay = (moment: string) => days.format(new Date(moment))

const shortDays = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })
/** A UTC day (YYYY-MM-DD) for the axis of a chart. */
export const shortDay = (day: string) => shortDays.format(new Date(day))
