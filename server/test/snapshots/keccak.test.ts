import { keccak_256 } from '@noble/hashes/sha3.js'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { BATCH, createKeccak } from '../../src/snapshots/keccak.ts'

const keccak = await createKeccak()
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

it('hashes messages like the library', () => {
  fc.assert(
    fc.property(
      fc.array(fc.uint8Array({ minLength: 64, maxLength: 64 }), { minLength: 1, maxLength: 20 }),
      (messages) => {
        messages.forEach((message, i) => keccak.input.set(message, i * 64))
        keccak.hash64(messages.length)
        const once = messages.map((_, i) => hex(keccak.output.slice(i * 32, (i + 1) * 32)))
        expect(once).toEqual(messages.map((message) => hex(keccak_256(message))))
        keccak.hashOutputs(messages.length)
        const twice = messages.map((_, i) => hex(keccak.output.slice(i * 32, (i + 1) * 32)))
        expect(twice).toEqual(messages.map((message) => hex(keccak_256(keccak_256(message)))))
      },
    ),
  )
})

it('hashes a full batch', () => {
  keccak.input.fill(7)
  keccak.hash64(BATCH)
  const expected = hex(keccak_256(new Uint8Array(64).fill(7)))
  expect(hex(keccak.output.slice(-32))).toBe(expected)
})
