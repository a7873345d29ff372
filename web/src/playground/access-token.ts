import { tabStorage } from '../shell/tab-storage.ts'

const KEY = 'questboard.access-token'

/** The token and query in the URL fragment, which browsers never send to a server. */
export interface LinkedStart {
  token: string | undefined
  query: string | undefined
  variables: string | undefined
}

/** Removes `#token=…&query=…&variables=…` from the address bar. A token in it becomes the token of this tab. */
export function takeLinkedStart(): LinkedStart {
  const fragment = new URLSearchParams(location.hash.slice(1))
  const token = fragment.get('token')?.trim() || undefined
  if (token !== undefined) rememberToken(token)
  if (location.hash !== '') history.replaceState(history.state, '', location.pathname + location.search)
  return { token, query: fragment.get('query') ?? undefined, variables: fragment.get('variables') ?? undefined }
}

/** The token of this tab; it is forgotten when the tab closes. */
export function rememberedToken(): string {
  return tabStorage.getItem(KEY) ?? ''
}

/** Stores the token for this tab; an empty text deletes it. */
export function rememberToken(token: string): void {
  if (token === '') tabStorage.removeItem(KEY)
  else tabStorage.setItem(KEY, token)
}

/** Opens a tab that starts with this token. A new tab copies the storage of its opener, so the token is in no URL. */
export function openWithToken(token: string, link: string): void {
  const before = rememberedToken()
  rememberToken(token)
  window.open(link)
  rememberToken(before)
}
