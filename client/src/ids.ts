/**
 * Converts an id to text.
 * @throws TypeError for numbers that JavaScript cannot represent exactly, since they may be rounded
 */
export function idText(id: string | number | bigint): string {
  if (typeof id === 'number' && !Number.isSafeInteger(id))
    throw new TypeError(`the identifier ${id} is not exact as a number; give it as a string`)
  return String(id)
}

/** Parses an integer. @throws TypeError that contains `name` */
export function parseInteger(name: string, value: string | number): number {
  const number = Number(value)
  if (!Number.isSafeInteger(number) || value === '')
    throw new TypeError(`${name} must be a whole number; it is ${value}`)
  return number
}
