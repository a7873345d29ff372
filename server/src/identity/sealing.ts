import { createCipheriv, createDecipheriv } from 'node:crypto'
import type { Random } from '../random.ts'

const ALGORITHM = 'aes-256-gcm'
const IV_BYTES = 12
const TAG_BYTES = 16

/** Encrypts under a 32-byte key of the installation; `label` names what it is, and opens only what it was sealed as. */
export function seal(key: Buffer, label: string, plain: Buffer, random: Random): Buffer {
  const iv = random.bytes(IV_BYTES)
  const cipher = createCipheriv(ALGORITHM, key, iv).setAAD(Buffer.from(label))
  return Buffer.concat([iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
}

/** @throws when it was sealed under another key or label */
export function unseal(key: Buffer, label: string, sealed: Buffer): Buffer {
  const decipher = createDecipheriv(ALGORITHM, key, sealed.subarray(0, IV_BYTES))
    .setAAD(Buffer.from(label))
    .setAuthTag(sealed.subarray(-TAG_BYTES))
  return Buffer.concat([decipher.update(sealed.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()])
}
