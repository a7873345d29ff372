/** A signed JWT (RFC 7519) in its compact form, not verified. */
export interface Jwt {
  header: Record<string, unknown>
  claims: Record<string, unknown>
  /** The bytes that the signature covers. */
  signed: Uint8Array<ArrayBuffer>
  signature: Uint8Array<ArrayBuffer>
}

const MAX_LENGTH = 16_384

/** Undefined if the text is not a JWT, or too long for a logout token. */
export function parseJwt(token: string): Jwt | undefined {
  const parts = token.length > MAX_LENGTH ? [] : token.split('.')
  if (parts.length !== 3 || !parts.every((part) => /^[\w-]+$/.test(part))) return undefined
  const [head, body, signature] = parts as [string, string, string]
  try {
    return {
      header: readObject(head),
      claims: readObject(body),
      signed: new TextEncoder().encode(`${head}.${body}`),
      signature: bytesOf(signature),
    }
  } catch {
    return undefined
  }
}

/** @throws SyntaxError, TypeError, DOMException */
function readObject(part: string): Record<string, unknown> {
  const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytesOf(part)))
  if (isObject(value)) return value
  throw new TypeError('not an object')
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function bytesOf(base64Url: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64Url.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0))
}
