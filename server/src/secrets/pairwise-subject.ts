import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto'

/**
 * The claim `sub` for the apps of a sector (OpenID Connect Core 8.1): the account id, which is one block of AES, encrypted
 * with a key for the sector. No two accounts of a sector have the same subject, and an `id_token_hint` leads back to the
 * account without a table of subjects.
 */
export function pairwiseSubject(key: Buffer, sector: string, accountId: string): string {
  const cipher = createCipheriv(ALGORITHM, keyOf(key, sector), null).setAutoPadding(false)
  return Buffer.concat([cipher.update(accountId.replaceAll('-', ''), 'hex'), cipher.final()]).toString('base64url')
}

/** The account id of a subject; undefined if the text is not a subject. A subject of another sector is of no account. */
export function accountOfSubject(key: Buffer, sector: string, subject: string): string | undefined {
  if (!/^[\w-]{21}[AQgw]$/.test(subject)) return undefined
  const decipher = createDecipheriv(ALGORITHM, keyOf(key, sector), null).setAutoPadding(false)
  const hex = Buffer.concat([decipher.update(subject, 'base64url'), decipher.final()]).toString('hex')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

// Encrypts one block, so that the mode does not matter.
const ALGORITHM = 'aes-256-ecb'

const keyOf = (key: Buffer, sector: string) =>
  Buffer.from(hkdfSync('sha256', key, 'questboard', `pairwise ${sector}`, 32))
