import { identityError } from '../identity-error.ts'

const MAX_BYTES = 16 * 1024

/** Reads hex; the prefix `0x` is optional. @throws ApiError bad_request */
export function readHex(text: unknown, field: string): Uint8Array {
  const match = typeof text === 'string' ? /^(?:0x)?((?:[0-9a-fA-F]{2})+)$/.exec(text) : null
  if (!match?.[1] || match[1].length > 2 * MAX_BYTES)
    throw identityError('bad_request', `${field} must be hex of at most ${MAX_BYTES} bytes`, field)
  return Uint8Array.from(Buffer.from(match[1], 'hex'))
}

/** Reads padded base64 (alphabet with + and /) of exactly `bytes` bytes. @throws ApiError bad_request */
export function readBase64(text: unknown, bytes: number, field: string): Uint8Array {
  const decoded = typeof text === 'string' && text.length < 2 * bytes + 4 ? Buffer.from(text, 'base64') : undefined
  if (decoded?.length !== bytes || decoded.toString('base64') !== text)
    throw identityError('bad_request', `${field} must be base64 of ${bytes} bytes`, field)
  return Uint8Array.from(decoded)
}

/** Reads hex or base64 of exactly `bytes` bytes. @throws ApiError bad_request */
export function readHexOrBase64(text: unknown, bytes: number, field: string): Uint8Array {
  if (typeof text !== 'string' || !new RegExp(`^(?:0x)?[0-9a-fA-F]{${2 * bytes}}$`).test(text))
    return readBase64(text, bytes, field)
  return readHex(text, field)
}
