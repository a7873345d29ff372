export const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

// 62^8 fits a number, which avoids most bigint arithmetic.
const CHUNK = 8
const values = new Uint8Array(128)
for (const [value, character] of [...BASE62].entries()) values[character.charCodeAt(0)] = value

/** The last `length` digits of a number in base 62. */
export function toBase62(value: bigint, length: number): string {
  let text = ''
  for (let rest = value; text.length < length; rest /= 62n) text = (BASE62[Number(rest % 62n)] as string) + text
  return text
}

export function fromBase62(text: string): bigint {
  let number = 0n
  for (let start = 0; start < text.length; start += CHUNK) {
    const end = Math.min(start + CHUNK, text.length)
    let chunk = 0
    for (let at = start; at < end; at++) chunk = chunk * 62 + (values[text.charCodeAt(at)] as number)
    number = number * BigInt(62 ** (end - start)) + BigInt(chunk)
  }
  return number
}
