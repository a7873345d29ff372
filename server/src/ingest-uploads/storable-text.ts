const MAX_VALUE = 200

/** A text that the database can store as `text` and in `jsonb`. */
export const storable = (text: string): string => text.replaceAll('\0', '\uFFFD').toWellFormed()

/** A part of a file, of any length, as a short text that the database can store. */
export function shorten(value: unknown): string {
  const text = storable(typeof value === 'string' ? value : value === undefined ? '' : asJson(value))
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE).toWellFormed()}…` : text
}

function asJson(value: unknown): string {
  try {
    return JSON.stringify(value)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return '…' // nested too deep; the check reports the line
  }
}
