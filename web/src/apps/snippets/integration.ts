/** The values that the snippets of an app contain. */
export interface Integration {
  /** The address of the installation, without a slash at the end. */
  issuer: string
  clientId: string
  redirectUri: string
  scopes: readonly string[]
  /** The app has no server and no secret. */
  publicClient: boolean
}

/**
 * The URL from which a program reads the user. Only `/oauth/userinfo` has the account ID, and it needs the scope
 * `openid`.
 */
export const userPath = ({ scopes }: Pick<Integration, 'scopes'>): string =>
  scopes.includes('openid') ? '/oauth/userinfo' : '/oauth/api/2/user'

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']
const DEFAULT_PORT = '3000'

/** The port on which a program listens: that of a loopback redirect URI. Other apps are behind a proxy. */
export function portOf(redirectUri: string): string {
  const { hostname, port } = new URL(redirectUri)
  return LOOPBACK.includes(hostname) && port !== '' ? port : DEFAULT_PORT
}

/** Cookies of apps with HTTPS are sent with HTTPS only. */
export const cookieAttributes = (redirectUri: string): string =>
  `HttpOnly; SameSite=Lax; Path=/; Max-Age=600${redirectUri.startsWith('https:') ? '; Secure' : ''}`

/** A text as JavaScript, in a script of an HTML page too. */
export function inJavaScript(text: string): string {
  const quoted = JSON.stringify(text).replaceAll('<', '\\u003c')
  return /['\\]/.test(text) || text.includes('<') ? quoted : `'${text}'`
}

export const inShell = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
