import type { Random } from '../random.ts'

/** Crockford's base 32, which has no letters that look like digits. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
export const MAIL_CODE_LENGTH = 13
export const MAX_CODE_ATTEMPTS = 5

const codeShape = /^([0-9A-HJKMNP-TV-Z]{4})([0-9A-HJKMNP-TV-Z]{5})([0-9A-HJKMNP-TV-Z]{4})$/

/** 65 random bits. */
export const newMailCode = (random: Random): string =>
  Array.from(random.bytes(MAIL_CODE_LENGTH), (byte) => ALPHABET[byte % ALPHABET.length]).join('')

export const formatMailCode = (code: string): string => code.replace(codeShape, '$1-$2-$3')

/** Normalizes a typed code: any case, with or without spaces and dashes, `O` for `0`, `I` and `L` for `1`. */
export function readMailCode(typed: unknown): string | undefined {
  if (typeof typed !== 'string' || typed.length > 40) return undefined
  const code = typed.toUpperCase().replace(/[\s-]/g, '').replaceAll('O', '0').replace(/[IL]/g, '1')
  return codeShape.test(code) ? code : undefined
}
