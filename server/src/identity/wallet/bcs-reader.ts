import { identityError } from '../identity-error.ts'

export const malformedBcs = (field: string) =>
  identityError('bad_request', `${field} is not what an account of this scheme has`, field)

/** Reads Binary Canonical Serialization of Move chains. Invalid input throws bad_request. */
export class BcsReader {
  readonly #bytes: Uint8Array
  readonly #field: string
  #at = 0

  constructor(bytes: Uint8Array, field: string) {
    this.#bytes = bytes
    this.#field = field
  }

  byte(): number {
    const byte = this.#bytes[this.#at++]
    if (byte === undefined) throw malformedBcs(this.#field)
    return byte
  }

  /** ULEB128 in its shortest form, of at most two bytes. */
  uleb(): number {
    const low = this.byte()
    if (low < 0x80) return low
    const high = this.byte()
    if (high === 0 || high > 0x7f) throw malformedBcs(this.#field)
    return (low & 0x7f) | (high << 7)
  }

  /** Bytes with a length prefix. */
  bytes(): Uint8Array {
    const length = this.uleb()
    const bytes = this.#bytes.subarray(this.#at, this.#at + length)
    if (bytes.length !== length) throw malformedBcs(this.#field)
    this.#at += length
    return bytes
  }

  /** Requires the end of the input. */
  end(): void {
    if (this.#at !== this.#bytes.length) throw malformedBcs(this.#field)
  }
}
