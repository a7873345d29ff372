import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatToken, isWellFormedToken, type TokenPrefix } from '../../src/secrets/token-format.ts'
import { systemRandom } from '../../src/random.ts'

const prefixes: TokenPrefix[] = ['qbs', 'qbi', 'qbu', 'qbr', 'qbc', 'qbx']
const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 })
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

test('consists of a prefix, 43 characters of the secret and 6 of the checksum', () => {
  fc.assert(
    fc.property(fc.constantFrom(...prefixes), bytes, (prefix, secret) => {
      const token = formatToken(prefix, secret)
      expect(token).toMatch(new RegExp(`^${prefix}_[0-9A-Za-z]{49}$`))
      expect(isWellFormedToken(prefix, token)).toBe(true)
    }),
  )
})

test('is equal for equal secrets only', () => {
  fc.assert(
    fc.property(bytes, bytes, (a, b) => {
      expect(formatToken('qbs', a) === formatToken('qbs', b)).toBe(Buffer.compare(a, b) === 0)
    }),
  )
})

test('is valid for its own class only', () => {
  for (const prefix of prefixes)
    for (const other of prefixes)
      expect(isWellFormedToken(other, formatToken(prefix, systemRandom.bytes(32)))).toBe(prefix === other)
})

test('is invalid after a change of the prefix', () => {
  const token = formatToken('qbs', systemRandom.bytes(32))
  for (const prefix of prefixes.slice(1)) expect(isWellFormedToken(prefix, token.replace('qbs', prefix))).toBe(false)
})

test('is invalid after a change of any character', () => {
  fc.assert(
    fc.property(bytes, fc.nat(48), fc.constantFrom(...ALPHABET), (secret, at, character) => {
      const token = formatToken('qbs', secret)
      const changed = token.slice(0, 4 + at) + character + token.slice(5 + at)
      expect(isWellFormedToken('qbs', changed)).toBe(changed === token)
    }),
  )
})

test('is invalid if it is truncated, padded, in another case, or has two swapped characters', () => {
  fc.assert(
    fc.property(bytes, fc.integer({ min: 0, max: 52 }), fc.integer({ min: 4, max: 51 }), (secret, length, at) => {
      const token = formatToken('qbs', secret)
      const swapped = token.slice(0, at) + token.charAt(at + 1) + token.charAt(at) + token.slice(at + 2)
      for (const other of [
        token.slice(0, length),
        `${token}0`,
        `0${token}`,
        ` ${token}`,
        `${token}\n`,
        token.toUpperCase(),
        token.toLowerCase(),
        swapped,
      ])
        if (other !== token) expect(isWellFormedToken('qbs', other)).toBe(false)
    }),
  )
})

test('requires 32 random bytes', () => {
  for (const length of [0, 16, 31, 33]) expect(() => formatToken('qbs', systemRandom.bytes(length))).toThrow(RangeError)
})
