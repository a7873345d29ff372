import { createHmac, timingSafeEqual } from 'node:crypto'

/**
 * Cursors: opaque to clients, signed so that nobody forges one, at most 200 characters, and the same in every
 * instance and after every restart (the key lies in the database). A cursor names its list and the place in it.
 */

export type CursorField = number | string

export interface Cursors {
  /** Text of a cursor. `kind` tells the lists apart; numbers are integers of any sign. */
  seal(kind: number, fields: readonly CursorField[]): string
  /** The fields of a cursor of this kind, or undefined when it was not made by this installation. */
  open(kind: number, text: string): CursorField[] | undefined
}

export const CURSOR_MAX_LENGTH = 200
const MAC_LENGTH = 16
const NUMBER = 0
const TEXT = 1
const EVM = 2
const evmAddress = /^0x[0-9a-f]{40}$/

export function createCursors(key: Buffer): Cursors {
  const mac = (bytes: Uint8Array) => createHmac('sha256', key).update(bytes).digest().subarray(0, MAC_LENGTH)
  return {
    seal(kind, fields) {
      const body = Buffer.from([kind, ...fields.flatMap(encodeField)])
      return Buffer.concat([mac(body), body]).toString('base64url')
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
  if (typeof field === 'number') return [NUMBER, ...encodeInteger(field)]
  if (evmAddress.test(field)) return [EVM, ...Buffer.from(field.slice(2), 'hex')]
  const bytes = Buffer.from(field)
  return [TEXT, ...encodeInteger(bytes.length), ...bytes]
}

/** Seven bits a byte, low first; the sign in the lowest bit of the first. */
function encodeInteger(value: number): number[] {
  let rest = value < 0 ? -value * 2 - 1 : value * 2
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
      if (byte < 128) break
      scale *= 128
    }
    return value % 2 === 1 ? -(value + 1) / 2 : value / 2
  }
  const take = (length: number) => body.subarray(at, (at += length))
  while (at < body.length) {
    const type = body[at++]
    if (type === NUMBER) fields.push(integer())
    else if (type === EVM) fields.push(`0x${take(20).toString('hex')}`)
    else fields.push(take(integer()).toString())
  }
  return fields
}
