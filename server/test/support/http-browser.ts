import { testPasskey } from './oauth-passkey.ts'
import { testWallet } from './oauth-wallet.ts'

/** The last page after all redirects. */
export interface Visited {
  url: URL
  status: number
  text: string
}

/**
 * A browser on real connections: keeps the cookies of each origin, follows redirects, and acts like the scripts of
 * the pages.
 */
export interface HttpBrowser {
  visit(url: string | URL, form?: Record<string, string>): Promise<Visited>
  /** The account that is signed in. */
  account(): Promise<Account | null>
  /** Signs in without an app, as on the sign-in page. */
  signIn(): Promise<void>
  /** Calls the JSON API. @throws unless it succeeds */
  api<T>(method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown): Promise<T>
}

export interface Account {
  id: string
  identities: { kind: string; subject: string }[]
}

const MAX_REDIRECTS = 12

/** `way` is the sign-in at the first consent page: a new EVM wallet or a new passkey. */
export function openHttpBrowser(issuer: string, way: 'wallet' | 'passkey' = 'wallet'): HttpBrowser {
  const jars = new Map<string, Map<string, string>>()

  async function request(url: URL, init: RequestInit = {}): Promise<Response> {
    const jar = jars.get(url.origin) ?? new Map<string, string>()
    jars.set(url.origin, jar)
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { ...(init.headers as Record<string, string>), ...(cookie !== '' && { cookie }) }
    const response = await fetch(url, { ...init, headers, redirect: 'manual' })
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';')
      const [name = '', value = ''] = [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]
      if (value === '' || /max-age=0/i.test(line)) jar.delete(name)
      else jar.set(name, value)
    }
    return response
  }

  async function api<T>(method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown): Promise<T> {
    const session = await request(new URL('/api/session', issuer))
    const { csrfToken } = (await session.json()) as { csrfToken: string }
    const response = await request(new URL(path, issuer), {
      method,
      headers: { 'x-csrf-token': csrfToken, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    return (response.status === 204 ? undefined : await response.json()) as T
  }

  async function signIn(): Promise<void> {
    if (way === 'wallet') {
      const wallet = testWallet()
      const asked = { kind: 'EVMAddress', purpose: 'sign-in', address: wallet.address }
      const { id, message } = await api<{ id: string; message: string }>('POST', '/api/challenges', asked)
      await api('POST', `/api/challenges/${id}/proof`, { signature: wallet.sign(message) })
      return
    }
    const passkey = testPasskey({ origin: issuer, rpId: new URL(issuer).hostname })
    const { id, webauthn } = await api<{ id: string; webauthn: { creation: { challenge: string } } }>(
      'POST',
      '/api/challenges',
      { kind: 'ServiceID', purpose: 'sign-in' },
    )
    await api('POST', `/api/challenges/${id}/proof`, passkey.register(webauthn.creation))
  }

  /** Does what the button "Allow" does, and returns the next URL. */
  async function allow(page: URL): Promise<URL> {
    const path = `/api/authorizations/${page.pathname.split('/').pop()}`
    if (!(await api<{ account: unknown }>('GET', path)).account) await signIn()
    const { redirect } = await api<{ redirect: string }>('POST', path, { decision: 'allow' })
    return new URL(redirect)
  }

  return {
    async visit(start, form) {
      let url = new URL(start)
      let response = await request(url, form && { method: 'POST', body: new URLSearchParams(form) })
      for (let hop = 0; hop < MAX_REDIRECTS; hop++) {
        const location = response.headers.get('location')
        if (response.status >= 300 && response.status < 400 && location !== null) url = new URL(location, url)
        else if (url.href.startsWith(`${issuer}/authorize/`)) url = await allow(url)
        else return { url, status: response.status, text: await response.text() }
        response = await request(url)
      }
      throw new Error(`redirected without end, last to ${url.href}`)
    },
    account: async () => (await api<{ account: Account | null }>('GET', '/api/session')).account,
    signIn,
    api,
  }
}
