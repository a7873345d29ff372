import { randomBytes, randomInt, randomUUID } from 'node:crypto'
import { afterAll, expect, test } from 'vitest'
import { hashOf } from '../../src/distribution/value-hash.ts'
import { createTestDatabase } from '../support/database.ts'

const database = await createTestDatabase()
afterAll(() => database.drop())

/** Of every length around the 12 bytes that are mixed at once, also with bytes above 127. */
const texts = Array.from({ length: 40 }, (_, length) => `ä0x${randomBytes(length).toString('base64').slice(0, length)}`)

test.each([
  ['integer', 'hashint4($1::integer)', [0, 1, -1, 40, 2_147_483_647, -2_147_483_648, '77', randomInt(1_000_000)]],
  [
    'bigint',
    'hashint8($1::bigint)',
    [0, '-1', '7', '9223372036854775807', '-9223372036854775808', '4294967296', -4_294_967_297],
  ],
  ['text', 'hashtext($1::text)', ['', ...texts]],
  ['uuid', 'uuid_hash($1::uuid)', Array.from({ length: 8 }, () => randomUUID())],
  // Bytes have the hash of a text of these bytes.
  ['bytea', `hashtext(convert_from($1, 'UTF8'))`, texts.map((text) => Buffer.from(text))],
] as const)('hashes values of %s like PostgreSQL', async (type, hash, values) => {
  for (const value of values) {
    const [row] = await database.query<{ hash: number }>(`SELECT ${hash} AS hash`, [value])
    expect(hashOf(type, value), String(value)).toBe(row?.hash)
  }
})

test('hashes no value of another type, and no invalid value', () => {
  expect([
    hashOf('date', '2026-11-21'),
    hashOf('integer', 'forty'),
    hashOf('integer', 2_147_483_648),
    hashOf('integer', 1.5),
    hashOf('bigint', '9223372036854775808'),
    hashOf('uuid', 'not one'),
    hashOf('text', ['a']),
    hashOf('bytea', '\\x00'),
    hashOf('text', null),
    hashOf('text', undefined),
  ]).toEqual(Array.from({ length: 10 }, () => undefined))
})
