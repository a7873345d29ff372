import type { Value } from '@questboard/pg-read-pipeline'

/**
 * PostgreSQL's hash functions (src/common/hashfn.c, on little-endian machines). Citus places rows by the hash of their
 * distribution value.
 */
const hashes: Readonly<Record<string, (value: NonNullable<Value>) => number>> = {
  integer: (value) => hashWord(toInteger(value, 32)),
  bigint: (value) => {
    const all = toInteger(value, 64)
    const high = all >> 32n
    return hashWord(all ^ (all >= 0n ? high : ~high))
  },
  text: (value) => hashBytes(Buffer.from(asText(value))),
  uuid: (value) => {
    const digits = asText(value).replaceAll('-', '')
    if (!/^[0-9a-f]{32}$/i.test(digits)) throw new Error('not a UUID')
    return hashBytes(Buffer.from(digits, 'hex'))
  },
  bytea: (value) => {
    if (!Buffer.isBuffer(value)) throw new Error('not bytes')
    return hashBytes(value)
  },
}

/** The hash of a value of a type, as a signed number of 32 bits; undefined for other types and invalid values. */
export function hashOf(type: string, value: Value | undefined): number | undefined {
  if (value === null || value === undefined) return undefined
  try {
    return hashes[type]?.(value)
  } catch {
    return undefined // PostgreSQL reports what is wrong with it
  }
}

function toInteger(value: NonNullable<Value>, bits: number): bigint {
  const found = BigInt(typeof value === 'number' ? value : asText(value))
  if (BigInt.asIntN(bits, found) !== found) throw new Error('out of range')
  return found
}

function asText(value: NonNullable<Value>): string {
  if (typeof value !== 'string') throw new Error('not a text')
  return value
}

const START = 0x9e3779b9 + 3_923_095

const rotate = (word: number, by: number) => (word << by) | (word >>> (32 - by))

function hashWord(value: bigint): number {
  const start = (START + 4) | 0
  return final((start + Number(BigInt.asIntN(32, value))) | 0, start, start)
}

function hashBytes(bytes: Buffer): number {
  let a = (START + bytes.length) | 0
  let b = a
  let c = a
  let at = 0
  for (; bytes.length - at >= 12; at += 12) {
    a = (a + bytes.readInt32LE(at)) | 0
    b = (b + bytes.readInt32LE(at + 4)) | 0
    c = (c + bytes.readInt32LE(at + 8)) | 0
    a = (a - c) ^ rotate(c, 4)
    c = (c + b) | 0
    b = (b - a) ^ rotate(a, 6)
    a = (a + c) | 0
    c = (c - b) ^ rotate(b, 8)
    b = (b + a) | 0
    a = (a - c) ^ rotate(c, 16)
    c = (c + b) | 0
    b = (b - a) ^ rotate(a, 19)
    a = (a + c) | 0
    c = (c - b) ^ rotate(b, 4)
    b = (b + a) | 0
  }
  const rest = Buffer.alloc(12)
  bytes.copy(rest, 0, at)
  // PostgreSQL reserves the lowest byte of `c` for the length.
  return final((a + rest.readInt32LE(0)) | 0, (b + rest.readInt32LE(4)) | 0, (c + (rest.readInt32LE(8) << 8)) | 0)
}

function final(a: number, b: number, c: number): number {
  c = ((c ^ b) - rotate(b, 14)) | 0
  a = ((a ^ c) - rotate(c, 11)) | 0
  b = ((b ^ a) - rotate(a, 25)) | 0
  c = ((c ^ b) - rotate(b, 16)) | 0
  a = ((a ^ c) - rotate(c, 4)) | 0
  b = ((b ^ a) - rotate(a, 14)) | 0
  return ((c ^ b) - rotate(b, 24)) | 0
}
