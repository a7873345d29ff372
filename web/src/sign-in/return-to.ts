import { useEffect, useState } from 'react'

/** Where somebody who just signed in goes. */
export const HOME = '/account'

/** Where a reader wanted to go before signing in: a path of ours, never another site. */
export function returnPath(search: string): string {
  const wanted = new URLSearchParams(search).get('return') ?? ''
  const url = wanted.startsWith('/') ? URL.parse(wanted, window.location.origin) : null
  if (url?.origin !== window.location.origin || url.pathname.startsWith('//')) return HOME
  return url.pathname + url.search
}

interface RedirectAnswer {
  /** The code of a refusal. */
  error: string | undefined
  /** A merge that waits for its confirmation. */
  merge: string | undefined
  /** Whether a merge was meant: where the refusal is told. */
  merging: boolean
}

/**
 * What a redirect kind came back with. It leaves the address bar once the page stands: a change of the address while
 * the page is first drawn would have it drawn again, without the answer.
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
