import type { Browser } from './oauth-browser.ts'
import type { SignInService } from './oauth-service.ts'

/** Opens the URL of a client in the browser of the user, allows the app and returns the callback URL. */
export async function visit({ issuer }: SignInService, browser: Browser, url: URL): Promise<URL> {
  const started = await browser.get(url.pathname + url.search)
  const location = String(started.headers.location)
  if (!location.startsWith(`${issuer}/authorize/`)) return new URL(location)
  const id = location.split('/').pop()
  const decided = await browser.call('POST', `/api/authorizations/${id}`, { decision: 'allow' })
  return new URL(decided.json<{ redirect: string }>().redirect)
}
