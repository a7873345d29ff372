import { createCipheriv, createDecipheriv } from 'node:crypto'
import type { Random } from '../random.ts'

const ALGORITHM = 'aes-256-gcm'
const IV_BYTES = 12
const TAG_BYTES = 16

/** Encrypts with a 32-byte key. `label` is authenticated, so a value can be decrypted only under the same label. */
export function seal(key: Buffer, label: string, plain: Buffer, random: Random): Buffer {
  const iv = random.bytes(IV_BYTES)
  const cipher = createCipheriv(ALGORITHM, key, iv).setAAD(Buffer.from(label))
  return Buffer.concat([iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
}

/** Decrypts with one of the keys. @throws if no key and label match */
export function unseal(keys: readonly Buffer[], label: string, sealed: Buffer): Buffer {
  const faults: unknown[] = []
  for (const key of keys)
    try {
      return open(key, label, sealed)
    } catch (error) {
      faults.push(error)
    }
  throw new AggregateError(faults, 'encrypted with another key')
}

/** Whether a value was encrypted with the first key, another key, or none of them. */
export function sealedUnder(keys: readonly Buffer[], label: string, sealed: Buffer): 'first' | 'other' | 'none' {
  const at = keys.findIndex((key) => {
    try {
      return open(key, label, sealed).length >= 0
    } catch {
      return false
    }
  })
  return at === 0 ? 'first' : at > 0 ? 'other' : 'none'
}

function open(key: Buffer, label: string, sealed: Buffer): Buffer {
  const decipher = createDecipheriv(ALGORITHM, key, sealed.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(label))
    .setAuthTag(sealed.subarray(-TAG_BYTES))
  return Buffer.concat([decipher.update(sealed.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()])
}
