const encoder = new TextEncoder()

/** A cookie that only this server can have made, with Web Crypto: `value` in JSON, and its signature. */
export async function sealedCookie(name: string, value: object, maxAge: number): Promise<string> {
  const text = base64Url(encoder.encode(JSON.stringify({ value, until: Date.now() + maxAge * 1_000 })))
  const signature = await crypto.subtle.sign('HMAC', await key(), encoder.encode(`${name}.${text}`))
  const sealed = `${text}.${base64Url(new Uint8Array(signature))}`
  return `__Host-${name}=${sealed}; Path=/; Max-Age=${maxAge}; Secure; HttpOnly; SameSite=Lax`
}

/** What a cookie of the request holds, if this server made it for this name and its time is not over. */
export async function openCookie<Value>(request: Request, name: string): Promise<Value | undefined> {
  const form = new RegExp(`(?:^|; )__Host-${name}=([\\w-]+)\\.([\\w-]{43})(?:;|$)`)
  const cookie = form.exec(request.headers.get('cookie') ?? '')
  if (!cookie) return undefined
  const [, text, signature] = cookie as unknown as [string, string, string]
  const data = encoder.encode(`${name}.${text}`)
  if (!(await crypto.subtle.verify('HMAC', await key(), bytes(signature), data))) return undefined
  const { value, until } = JSON.parse(new TextDecoder().decode(bytes(text))) as { value: Value; until: number }
  return Date.now() < until ? value : undefined
}

export const clearedCookie = (name: string) => `__Host-${name}=; Path=/; Max-Age=0; Secure; HttpOnly; SameSite=Lax`

function key(): Promise<CryptoKey> {
  const secret = process.env.COOKIE_SECRET ?? ''
  if (secret.length < 32) throw new Error('COOKIE_SECRET must have 32 characters or more')
  return crypto.subtle.importKey('raw', encoder.encode(secret), { name: 'HMAC', hash: 'SHA-256' }, false, [
    'sign',
    'verify',
  ])
}

function base64Url(data: Uint8Array): string {
  return btoa(String.fromCharCode(...data))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}

function bytes(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (one) => one.charCodeAt(0))
}
