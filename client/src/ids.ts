/**
 * An identifier as text.
 * @throws TypeError for a number that JavaScript cannot hold exactly: it may have been rounded already
 */
export function idText(id: string | number | bigint): string {
  if (typeof id === 'number' && !Number.isSafeInteger(id))
    throw new TypeError(`the identifier ${id} is not exact as a number; give it as a string`)
  return String(id)
}

/** A whole number. @throws TypeError naming it */
export function wholeNumber(name: string, value: string | number): number {
  const number = Number(value)
  if (!Number.isSafeInteger(number) || value === '')
    throw new TypeError(`${name} must be a whole number; it is ${value}`)
  return number
}
