const MAX_WHOLE = 16

/** The first and last characters of a long address. */
export const shortAddress = (text: string): string =>
  text.length > MAX_WHOLE ? `${text.slice(0, 6)}…${text.slice(-4)}` : text
