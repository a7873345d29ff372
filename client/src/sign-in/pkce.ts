/** Returns cryptographically secure random bytes. */
export type RandomBytes = (length: number) => Uint8Array

export const systemRandomBytes: RandomBytes = (length) => crypto.getRandomValues(new Uint8Array(length))

const SECRET_BYTES = 32

/** 43 random characters for a state or a PKCE verifier (RFC 7636 4.1). */
export function unguessable(randomBytes: RandomBytes): string {
  return base64Url(randomBytes(SECRET_BYTES))
}

/** The S256 challenge of a verifier (RFC 7636 4.2). */
export async function challengeOf(verifier: string): Promise<string> {
  return base64Url(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))))
}

function base64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}
