import { createCipheriv, hkdfSync } from 'node:crypto'
import { type Cursors, MAC_CHARACTERS } from './cursor.ts'

const IV_BYTES = 16

/**
 * Encrypts cursors, because a cursor contains the address of a member. The MAC of the text is the initialization vector
 * (SIV, RFC 5297), so that the length stays the same. Cursors that are not encrypted are valid too.
 */
export function sealCursors(cursors: Cursors, key: Buffer): Cursors {
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
