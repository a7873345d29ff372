/**
 * The code of a one-time link. It moves from the address bar to the storage of this tab, so that it survives a sign-in at
 * another site and does not stay in the browser's history.
 */
export function takeCode(key: string): string | undefined {
  const code = window.location.hash.slice(1)
  if (code !== '') {
    window.sessionStorage.setItem(key, code)
    window.history.replaceState(null, '', window.location.pathname)
  }
  return window.sessionStorage.getItem(key) ?? undefined
}

export function forgetCode(key: string): void {
  window.sessionStorage.removeItem(key)
}
