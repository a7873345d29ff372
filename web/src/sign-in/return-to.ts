import { useEffect, useState } from 'react'

/** The page after a sign-in. */
export const HOME = '/account'

/** Shown after a sign-in that another tab requested. It notifies that tab, so open it only after a new sign-in. */
export const SIGNED_IN = '/signed-in'

/** The page that the user wanted to open before the sign-in: a path of this site, never another site. */
export function returnPath(parameters: URLSearchParams): string {
  const wanted = parameters.get('return') ?? ''
  const url = wanted.startsWith('/') ? URL.parse(wanted, window.location.origin) : null
  if (url?.origin !== window.location.origin || url.pathname.startsWith('//')) return HOME
  return url.pathname + url.search
}

/** Whether a path leads to a page that the server renders, outside this app. */
const isOtherDocument = (path: string) => /^\/[bmqs]\//.test(path)

/** Opens the page after a sign-in. */
export function openTarget(target: string, go: (path: string, options?: { replace: boolean }) => void): void {
  if (isOtherDocument(target)) window.location.replace(target)
  else go(target, { replace: true })
}

interface RedirectAnswer {
  /** The code of a refusal. */
  error: string | undefined
  /** A merge that waits for its confirmation. */
  merge: string | undefined
  /** Whether the user wanted to merge accounts. It decides where an error is shown. */
  merging: boolean
}

/**
 * The response that a redirect kind returned. It is removed from the address bar after the first render: an earlier
 * change of the address would render the page again without the response.
 */
export function useRedirectAnswer(): RedirectAnswer {
  const [answer] = useState(readRedirectAnswer)
  useEffect(clearAddress, [])
  return answer
}

function readRedirectAnswer(): RedirectAnswer {
  const { searchParams } = new URL(window.location.href)
  return {
    error: searchParams.get('identity_error') ?? undefined,
    merge: searchParams.get('merge') ?? undefined,
    merging: searchParams.has('merging'),
  }
}

function clearAddress(): void {
  const url = new URL(window.location.href)
  for (const name of ['identity_error', 'identity_kind', 'merge', 'merging']) url.searchParams.delete(name)
  if (url.href !== window.location.href) window.history.replaceState(null, '', url.pathname + url.search)
}
