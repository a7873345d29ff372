import { hash, timingSafeEqual } from 'node:crypto'

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
/** 12 bytes, a multiple of 3, so that base64 encodes payload and MAC separately. */
export const MAC_CHARACTERS = 16
/** The type of a field is in the two lowest bits of its first integer; the other bits are its value or length. */
const [POSITIVE, NEGATIVE, TEXT, EVM] = [0, 1, 2, 3]
const FIELD_TYPES = 4
const EVM_BYTES = 20
const MAX_INTEGER_BYTES = 8
const evmAddress = /^0x[0-9a-f]{40}$/

export function createCursors(key: Buffer): Cursors {
  const signing = new CursorBytes(key)
  const verifying = new CursorBytes(key)
  return {
    sign(kind, fields) {
      signing.begin()
      signing.byte(KINDS[kind])
      for (const field of fields) signing.field(field)
      const text = signing.mac() + signing.text()
      if (text.length > CURSOR_MAX_LENGTH) throw tooLong()
      return text
    },
    verify(kind, text) {
      if (text.length <= MAC_CHARACTERS || text.length > CURSOR_MAX_LENGTH) return undefined
      const rest = text.slice(MAC_CHARACTERS)
      const body = Buffer.from(rest, 'base64url')
      // Base64 can spell the same bytes in several ways; only the spelling of this service is accepted.
      if (body.toString('base64url') !== rest) return undefined
      verifying.begin()
      verifying.bytes(body)
      const [ours, given] = [Buffer.from(verifying.mac()), Buffer.from(text.slice(0, MAC_CHARACTERS))]
      if (ours.length !== given.length || !timingSafeEqual(ours, given)) return undefined
      return body[0] === KINDS[kind] ? decodeFields(body) : undefined
    },
  }
}

/** A buffer for the key, followed by the bytes of one cursor at a time. */
class CursorBytes {
  readonly #bytes: Buffer
  readonly #start: number
  #end = 0

  constructor(key: Buffer) {
    this.#bytes = Buffer.concat([key, Buffer.alloc(2 * CURSOR_MAX_LENGTH)])
    this.#start = key.length
  }

  begin(): void {
    this.#end = this.#start
  }

  byte(value: number): void {
    this.#bytes[this.#end++] = value
  }

  bytes(bytes: Uint8Array): void {
    this.#bytes.set(bytes, this.#room(bytes.length))
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

  text(): string {
    return this.#bytes.toString('base64url', this.#start, this.#end)
  }

  /**
   * SHA-512/256 hides half of its state (FIPS 180-4), so a hashed text cannot be extended, and a key in front of it is
   * sufficient. HMAC is for hashes that expose their state, and takes many times as long.
   */
  mac(): string {
    return hash('sha512-256', this.#bytes.subarray(0, this.#end), 'base64url').slice(0, MAC_CHARACTERS)
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
