/** Value of an incomplete date. It is not a valid time, so the form does not treat it as empty. */
export const INCOMPLETE = 'incomplete'

/** The moment in a field for date and time; other texts stay as they are. */
export function momentIn(text: string, isIncomplete: boolean): string | null {
  if (text === '') return isIncomplete ? INCOMPLETE : null
  const date = new Date(text)
  return Number.isNaN(date.getTime()) ? text : date.toISOString()
}

/** The value of the field: the local time without a zone, to the minute. */
export function localOf(moment: string | null): string {
  if (moment === null || moment === INCOMPLETE) return ''
  const date = new Date(moment)
  if (Number.isNaN(date.getTime())) return moment
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000)
  return Number.isNaN(local.getTime()) ? '' : local.toISOString().slice(0, 16)
}
