import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto'

/**
 * Cursors: opaque to clients, signed so that clients cannot forge them, at most 200 characters, and the same in every
 * instance and after every restart (the key is in the database). A cursor names its list and the place in it.
 */

export type CursorField = number | string

/** The lists. Clients store cursors, so a number is never used for another list. */
const KINDS = { loyalty: 1, starboard: 2, quests: 3, history: 4, changes: 5 } as const
export type CursorKind = keyof typeof KINDS

export interface Cursors {
  /** Text of a cursor of this list. Numbers are integers below 2^51 of any sign. */
  sign(kind: CursorKind, fields: readonly CursorField[]): string
  /** The fields of a cursor of this list; undefined if this installation did not create it. */
  verify(kind: CursorKind, text: string): CursorField[] | undefined
}

export const CURSOR_MAX_LENGTH = 200
/** 12 of the 32 bytes of the HMAC; a multiple of 3, so that base64 encodes payload and MAC separately. */
export const MAC_CHARACTERS = 16
/** The type of a field is in the two lowest bits of its first integer; the other bits are its value or length. */
const [POSITIVE, NEGATIVE, TEXT, EVM] = [0, 1, 2, 3]
const FIELD_TYPES = 4
const EVM_BYTES = 20
const MAX_INTEGER_BYTES = 8
const evmAddress = /^0x[0-9a-f]{40}$/

export function createCursors(secret: Buffer): Cursors {
  const key = createSecretKey(secret)
  const payload = new Payload()
  return {
    sign(kind, fields) {
      payload.begin()
      payload.byte(KINDS[kind])
      for (const field of fields) payload.field(field)
      const bytes = payload.written()
      const text = macOf(key, bytes) + bytes.toString('base64url')
      if (text.length > CURSOR_MAX_LENGTH) throw tooLong()
      return text
    },
    verify(kind, text) {
      if (text.length <= MAC_CHARACTERS || text.length > CURSOR_MAX_LENGTH) return undefined
      const rest = text.slice(MAC_CHARACTERS)
      const body = Buffer.from(rest, 'base64url')
      // Base64 can spell the same bytes in several ways; only the spelling of this service is accepted.
      if (body.toString('base64url') !== rest) return undefined
      const [ours, given] = [Buffer.from(macOf(key, body)), Buffer.from(text.slice(0, MAC_CHARACTERS))]
      if (ours.length !== given.length || !timingSafeEqual(ours, given)) return undefined
      return body[0] === KINDS[kind] ? decodeFields(body) : undefined
    },
  }
}

const macOf = (key: KeyObject, payload: Buffer): string =>
  createHmac('sha256', key).update(payload).digest('base64url').slice(0, MAC_CHARACTERS)

/** A buffer for the payload of one cursor at a time. */
class Payload {
  readonly #bytes = Buffer.alloc(2 * CURSOR_MAX_LENGTH)
  #end = 0

  begin(): void {
    this.#end = 0
  }

  byte(value: number): void {
    this.#bytes[this.#end++] = value
  }

  field(field: CursorField): void {
    if (typeof field === 'number') {
      this.#integer(field < 0 ? -field * FIELD_TYPES + NEGATIVE : field * FIELD_TYPES + POSITIVE)
    } else if (evmAddress.test(field)) {
      this.#integer(EVM)
      this.#bytes.write(field.slice(2), this.#room(EVM_BYTES), 'hex')
    } else {
      const length = Buffer.byteLength(field)
      this.#integer(length * FIELD_TYPES + TEXT)
      this.#bytes.write(field, this.#room(length))
    }
  }

  /** Valid until the next `begin`. */
  written(): Buffer {
    return this.#bytes.subarray(0, this.#end)
  }

  /** Seven bits per byte, lowest first. */
  #integer(value: number): void {
    if (this.#end + MAX_INTEGER_BYTES > this.#bytes.length) throw tooLong()
    let rest = value
    for (; rest >= 128; rest = Math.floor(rest / 128)) this.byte((rest % 128) | 128)
    this.byte(rest)
  }

  /** Reserves this number of bytes. @returns the offset of the first one */
  #room(length: number): number {
    const at = this.#end
    if (at + length > this.#bytes.length) throw tooLong()
    this.#end += length
    return at
  }
}

const tooLong = (): RangeError => new RangeError(`a cursor of more than ${CURSOR_MAX_LENGTH} characters is too long`)

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
