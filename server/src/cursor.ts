import { hash, timingSafeEqual } from 'node:crypto'

/**
 * Cursors: opaque to clients, signed so that nobody forges one, at most 200 characters, and the same in every
 * instance and after every restart (the key lies in the database). A cursor names its list and the place in it.
 */

export type CursorField = number | string

export interface Cursors {
  /** Text of a cursor. `kind` tells the lists apart; numbers are integers below 2^51 of any sign. */
  seal(kind: number, fields: readonly CursorField[]): string
  /** The fields of a cursor of this kind, or undefined when it was not made by this installation. */
  open(kind: number, text: string): CursorField[] | undefined
}

export const CURSOR_MAX_LENGTH = 200
const MAC_LENGTH = 12
/** What a field is, in the two lowest bits of the integer that begins it; the rest is its value or its length. */
const [POSITIVE, NEGATIVE, TEXT, EVM] = [0, 1, 2, 3]
const FIELD_TYPES = 4
const evmAddress = /^0x[0-9a-f]{40}$/

export function createCursors(key: Buffer): Cursors {
  // SHA-512/256 hides half of its state (FIPS 180-4), so nobody can append to what was hashed and the key in front is
  // enough; HMAC, which is there for hashes that show it, takes five times as long.
  const mac = (bytes: Uint8Array) => hash('sha512-256', Buffer.concat([key, bytes]), 'buffer').subarray(0, MAC_LENGTH)
  return {
    seal(kind, fields) {
      const body = Buffer.from([kind, ...fields.flatMap(encodeField)])
      const text = Buffer.concat([mac(body), body]).toString('base64url')
      if (text.length > CURSOR_MAX_LENGTH) throw new RangeError(`a cursor of ${text.length} characters is too long`)
      return text
    },
    open(kind, text) {
      if (text.length > CURSOR_MAX_LENGTH) return undefined
      const bytes = Buffer.from(text, 'base64url')
      // Base64 has several spellings of the same bytes; only ours is a cursor.
      if (bytes.length <= MAC_LENGTH || bytes.toString('base64url') !== text) return undefined
      const body = bytes.subarray(MAC_LENGTH)
      if (!timingSafeEqual(mac(body), bytes.subarray(0, MAC_LENGTH))) return undefined
      return body[0] === kind ? decodeFields(body) : undefined
    },
  }
}

function encodeField(field: CursorField): number[] {
  if (typeof field === 'number')
    return field < 0 ? encodeInteger(-field * FIELD_TYPES + NEGATIVE) : encodeInteger(field * FIELD_TYPES + POSITIVE)
  if (evmAddress.test(field)) return [...encodeInteger(EVM), ...Buffer.from(field.slice(2), 'hex')]
  const bytes = Buffer.from(field)
  return [...encodeInteger(bytes.length * FIELD_TYPES + TEXT), ...bytes]
}

/** Seven bits a byte, low first. */
function encodeInteger(value: number): number[] {
  let rest = value
  const bytes = []
  while (rest >= 128) {
    bytes.push((rest % 128) | 128)
    rest = Math.floor(rest / 128)
  }
  return [...bytes, rest]
}

function decodeFields(body: Buffer): CursorField[] {
  const fields: CursorField[] = []
  let at = 1
  const integer = () => {
    let value = 0
    let scale = 1
    for (;;) {
      const byte = body[at++] as number
      value += (byte & 127) * scale
      if (byte < 128) return value
      scale *= 128
    }
  }
  const take = (length: number) => body.subarray(at, (at += length))
  while (at < body.length) {
    const head = integer()
    const value = Math.floor(head / FIELD_TYPES)
    const type = head % FIELD_TYPES
    if (type === POSITIVE) fields.push(value)
    else if (type === NEGATIVE) fields.push(-value)
    else fields.push(type === EVM ? `0x${take(20).toString('hex')}` : take(value).toString())
  }
  return fields
}
