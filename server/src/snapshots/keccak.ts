/**
 * Keccak-256 of many short messages at once. It runs as WebAssembly, which has fast 64-bit integers; JavaScript takes
 * about ten times as long. The code below writes the module, instruction by instruction.
 */

/** The number of messages of one call. */
export const BATCH = 2_048

export interface Keccak {
  /** The input: messages one after the other. */
  readonly input: Uint8Array
  /** The output: 32 bytes for each message. */
  readonly output: Uint8Array
  /** Hashes `count` messages of 64 bytes. */
  hash64(count: number): void
  /** Hashes the first `count` outputs again, in place. */
  hashOutputs(count: number): void
}

const INPUT = 256
const OUTPUT = INPUT + BATCH * 64

export async function createKeccak(): Promise<Keccak> {
  const { instance } = await WebAssembly.instantiate(keccakModule())
  const { memory, hash64, hash32 } = instance.exports as {
    memory: WebAssembly.Memory
    hash64: (from: number, to: number, count: number) => void
    hash32: (from: number, to: number, count: number) => void
  }
  new BigUint64Array(memory.buffer, 0, ROUNDS).set(roundConstants())
  return {
    input: new Uint8Array(memory.buffer, INPUT, BATCH * 64),
    output: new Uint8Array(memory.buffer, OUTPUT, BATCH * 32),
    hash64: (count) => hash64(INPUT, OUTPUT, count),
    hashOutputs: (count) => hash32(OUTPUT, OUTPUT, count),
  }
}

const ROUNDS = 24
const LANES = 25

/** The constants of the step iota (FIPS 202, algorithm 5). */
function roundConstants(): bigint[] {
  let register = 1
  const nextBit = () => {
    const bit = register & 1
    register = register & 0x80 ? ((register << 1) ^ 0x171) & 0xff : register << 1
    return bit
  }
  return Array.from({ length: ROUNDS }, () => {
    let constant = 0n
    for (let j = 0; j < 7; j++) if (nextBit()) constant |= 1n << BigInt(2 ** j - 1)
    return constant
  })
}

/** The rotation of each lane in the step rho, and its place after the step pi. */
function rotationsAndPlaces(): { from: number; to: number; by: number }[] {
  const moves = [{ from: 0, to: 0, by: 0 }]
  let [x, y] = [1, 0]
  for (let t = 0; t < LANES - 1; t++) {
    const [nextX, nextY] = [y, (2 * x + 3 * y) % 5]
    moves.push({ from: x + 5 * y, to: nextX + 5 * nextY, by: (((t + 1) * (t + 2)) / 2) % 64 })
    ;[x, y] = [nextX, nextY]
  }
  return moves
}

type Code = number[]

function unsigned(value: number): Code {
  const bytes: Code = []
  do {
    bytes.push((value & 0x7f) | (value > 0x7f ? 0x80 : 0))
    value >>>= 7
  } while (value > 0)
  return bytes
}

function signed(value: bigint): Code {
  const bytes: Code = []
  for (;;) {
    const low = Number(value & 0x7fn)
    value >>= 7n
    if ((value === 0n && low < 0x40) || (value === -1n && low >= 0x40)) return [...bytes, low]
    bytes.push(low | 0x80)
  }
}

const vector = (items: readonly Code[]): Code => [...unsigned(items.length), ...items.flat()]
const sized = (code: Code): Code => [...unsigned(code.length), ...code]
const section = (id: number, items: readonly Code[]): Code => [id, ...sized(vector(items))]
const text = (name: string): Code => sized([...Buffer.from(name)])

const I32 = 0x7f
const I64 = 0x7e
const get = (local: number): Code => [0x20, ...unsigned(local)]
const set = (local: number): Code => [0x21, ...unsigned(local)]
const i32 = (value: number): Code => [0x41, ...signed(BigInt(value))]
const i64 = (value: bigint): Code => [0x42, ...signed(value)]
const load = (offset: number): Code => [0x29, 3, ...unsigned(offset)]
const store = (offset: number): Code => [0x37, 3, ...unsigned(offset)]
const XOR = 0x85
const AND = 0x83
const ROTATE = 0x89
const ADD = 0x6a
const SUBTRACT = 0x6b
const LESS = 0x49
const loop = (body: Code): Code => [0x03, 0x40, ...body, 0x0b]
const REPEAT_IF = [0x0d, 0]

// Locals: the parameters, the offset of the round constant, then lanes.
const FROM = 0
const TO = 1
const COUNT = 2
const ROUND = 3
const lane = (i: number) => 4 + i
const moved = (i: number) => 4 + LANES + i
const column = (x: number) => 4 + 2 * LANES + x
const parity = 4 + 2 * LANES + 5

/** One round of Keccak-f[1600] (FIPS 202, 3.2). */
function round(): Code {
  const code: Code = []
  for (let x = 0; x < 5; x++) {
    code.push(...get(lane(x)))
    for (let y = 1; y < 5; y++) code.push(...get(lane(x + 5 * y)), XOR)
    code.push(...set(column(x)))
  }
  for (let x = 0; x < 5; x++) {
    code.push(...get(column((x + 1) % 5)), ...i64(1n), ROTATE, ...get(column((x + 4) % 5)), XOR, ...set(parity))
    for (let y = 0; y < 5; y++) code.push(...get(lane(x + 5 * y)), ...get(parity), XOR, ...set(lane(x + 5 * y)))
  }
  for (const { from, to, by } of rotationsAndPlaces())
    code.push(...get(lane(from)), ...i64(BigInt(by)), ROTATE, ...set(moved(to)))
  for (let y = 0; y < 5; y++)
    for (let x = 0; x < 5; x++) {
      const at = (dx: number) => moved(((x + dx) % 5) + 5 * y)
      code.push(...get(at(1)), ...i64(-1n), XOR, ...get(at(2)), AND, ...get(at(0)), XOR, ...set(lane(x + 5 * y)))
    }
  return [...code, ...get(lane(0)), ...get(ROUND), ...load(0), XOR, ...set(lane(0))]
}

/** `(from, to, count)`: hashes messages that are shorter than a block of 136 bytes. */
function hashFunction(messageBytes: number): Code {
  const words = messageBytes / 8
  const body: Code = []
  for (let i = 0; i < LANES; i++) {
    // The padding of Keccak: a bit after the message, and the last bit of the block.
    if (i < words) body.push(...get(FROM), ...load(i * 8))
    else body.push(...i64(i === words ? 1n : i === 16 ? -(2n ** 63n) : 0n))
    body.push(...set(lane(i)))
  }
  body.push(...i32(0), ...set(ROUND))
  body.push(...loop([...round(), ...get(ROUND), ...i32(8), ADD, 0x22, ROUND, ...i32(ROUNDS * 8), LESS, ...REPEAT_IF]))
  for (let i = 0; i < 4; i++) body.push(...get(TO), ...get(lane(i)), ...store(i * 8))
  body.push(...get(FROM), ...i32(messageBytes), ADD, ...set(FROM), ...get(TO), ...i32(32), ADD, ...set(TO))
  body.push(...get(COUNT), ...i32(1), SUBTRACT, 0x22, COUNT, ...REPEAT_IF)
  const locals = vector([
    [1, I32],
    [...unsigned(2 * LANES + 6), I64],
  ])
  return sized([...locals, ...loop(body), 0x0b])
}

function keccakModule(): Uint8Array<ArrayBuffer> {
  const pages = Math.ceil((OUTPUT + BATCH * 32) / 65_536)
  return new Uint8Array([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [[0x60, ...vector([[I32], [I32], [I32]]), 0]]),
    ...section(3, [[0], [0]]),
    ...section(5, [[0, ...unsigned(pages)]]),
    ...section(7, [
      [...text('memory'), 2, 0],
      [...text('hash64'), 0, 0],
      [...text('hash32'), 0, 1],
    ]),
    ...section(10, [hashFunction(64), hashFunction(32)]),
  ])
}
