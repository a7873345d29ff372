const moments = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' })
const days = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium' })

/** A moment of the JSON API in the reader's own time zone. */
export const atTime = (moment: string) => moments.format(new Date(moment))
export const onDay = (moment: string) => days.format(new Date(moment))
