import { createCipheriv, hkdfSync } from 'node:crypto'
import { type Cursors, MAC_CHARACTERS } from './signed-cursors.ts'

const IV_BYTES = 16

/**
 * Encrypts the cursors of publishable tokens, because a cursor contains the address of a member. The MAC is the
 * initialization vector, as in SIV (RFC 5297), so the length does not change. Cursors of server tokens are valid, too.
 */
export function encryptCursors(cursors: Cursors, key: Buffer): Cursors {
  // The label is older than the name of this file; another label would make issued cursors invalid.
  const cipherKey = Buffer.from(hkdfSync('sha256', key, '', 'sealed cursors', 32))
  // CTR mode: encrypting again decrypts.
  const cipher = (text: string): string => {
    const mac = text.slice(0, MAC_CHARACTERS)
    const iv = Buffer.alloc(IV_BYTES)
    iv.write(mac, 'base64url')
    const body = Buffer.from(text.slice(MAC_CHARACTERS), 'base64url')
    return mac + createCipheriv('aes-256-ctr', cipherKey, iv).update(body).toString('base64url')
  }
  return {
    sign: (kind, fields) => cipher(cursors.sign(kind, fields)),
    verify: (kind, text) => cursors.verify(kind, cipher(text)) ?? cursors.verify(kind, text),
  }
}
