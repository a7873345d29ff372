/** Where somebody who just signed in goes. */
export const HOME = '/account'

/** Where a reader wanted to go before signing in: a path of ours, never another site. */
export function returnPath(search: string): string {
  const wanted = new URLSearchParams(search).get('return') ?? ''
  const url = wanted.startsWith('/') ? URL.parse(wanted, window.location.origin) : null
  if (url?.origin !== window.location.origin || url.pathname.startsWith('//')) return HOME
  return url.pathname + url.search
}

/** What a redirect kind came back with, taken out of the address bar; undefined when all went well or nothing was asked. */
export function takeIdentityError(): string | undefined {
  const url = new URL(window.location.href)
  const code = url.searchParams.get('identity_error')
  if (code === null) return undefined
  url.searchParams.delete('identity_error')
  url.searchParams.delete('identity_kind')
  window.history.replaceState(null, '', url.pathname + url.search)
  return code
}

/** The merge that a redirect kind has prepared, taken out of the address bar. */
export function takeMerge(): string | undefined {
  const url = new URL(window.location.href)
  const id = url.searchParams.get('merge')
  if (id === null) return undefined
  url.searchParams.delete('merge')
  window.history.replaceState(null, '', url.pathname + url.search)
  return id
}
