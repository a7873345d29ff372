/** A repeatable stream of randomness for demo data: the same seed gives the same data. Not for secrets. */
export interface SeededRandom {
  /** At least 0, below 1. */
  next(): number
  /** A whole number from `least` to `most`, both included. */
  whole(least: number, most: number): number
  chance(probability: number): boolean
  pick<T>(list: readonly T[]): T
  /** Normally distributed around 0 with deviation 1. */
  normal(): number
  bytes(length: number): Uint8Array
  hex(digits: number): string
}

/** The generator "sfc32" of PractRand, seeded from a text. */
export function seededRandom(seed: string): SeededRandom {
  let [a, b, c, counter] = [0x9e3779b9, 0x243f6a88, 0xb7e15162, 1]
  const word = () => {
    const sum = (a + b + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + sum) | 0
    return sum >>> 0
  }
  for (const character of seed) {
    a ^= character.codePointAt(0) ?? 0
    word()
  }
  for (let round = 0; round < 15; round++) word()

  const next = () => word() / 2 ** 32
  const whole = (least: number, most: number) => least + Math.floor(next() * (most - least + 1))
  const bytes = (length: number) => Uint8Array.from({ length }, () => word() & 0xff)
  return {
    next,
    whole,
    chance: (probability) => next() < probability,
    pick: <T>(list: readonly T[]) => list[Math.floor(next() * list.length)] as T,
    normal: () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next()),
    bytes,
    hex: (digits) => Array.from({ length: digits }, () => whole(0, 15).toString(16)).join(''),
  }
}
