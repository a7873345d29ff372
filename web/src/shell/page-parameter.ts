import { useCallback, useEffect, useMemo, useState } from 'react'
import { useLocation, useSearch } from 'wouter'

const PAUSE_MS = 300

/** The parameters of the address. The router decodes them twice, so that a search for `%41` would become one for `A`. */
export function useParameters(): URLSearchParams {
  useSearch() // renders again after a change
  const { search } = window.location
  return useMemo(() => new URLSearchParams(search), [search])
}

interface ChangeOptions {
  replace?: boolean
}

/**
 * Changes parameters of the address. Empty text removes a parameter. All changes of a call are one entry of the history, unless
 * they replace the current one.
 */
export function useChangeParameters(): (changes: Record<string, string>, options?: ChangeOptions) => void {
  const [, navigate] = useLocation()
  return useCallback(
    (changes, options) => {
      // The present address, because another parameter can have changed since the last rendering. The path of the router is
      // decoded.
      const { pathname, search } = window.location
      const parameters = new URLSearchParams(search)
      const before = parameters.toString()
      for (const [name, value] of Object.entries(changes))
        if (value === '') parameters.delete(name)
        else parameters.set(name, value)
      const after = parameters.toString()
      if (after !== before) navigate(after === '' ? pathname : `${pathname}?${after}`, options)
    },
    [navigate],
  )
}

/**
 * A parameter in the address of the page, such as `?status=Active`, which reloads, Back and shared links keep. Empty text
 * removes it. A change adds an entry to the history, unless it replaces the current one.
 */
export function usePageParameter(name: string): [string, (value: string, options?: ChangeOptions) => void] {
  const parameters = useParameters()
  const change = useChangeParameters()
  const set = useCallback(
    (value: string, options?: ChangeOptions) => change({ [name]: value }, options),
    [name, change],
  )
  return [parameters.get(name) ?? '', set]
}

/** The text of a field that follows a parameter: Back, Forward and links change the parameter. */
export function useDraft(value: string): [string, (draft: string) => void] {
  const [draft, setDraft] = useState(value)
  const [before, setBefore] = useState(value)
  if (value !== before) {
    setBefore(value)
    setDraft(value)
  }
  return [draft, setDraft]
}

/** The text of a search field whose list changes with each character. Browsers limit how often an address changes. */
export function useTypedParameter(name: string): [string, (text: string) => void] {
  const [value, setValue] = usePageParameter(name)
  const [text, setText] = useDraft(value)
  useEffect(() => {
    if (text === value) return
    const { pathname } = window.location
    // After a link, this page stays, hidden, until the next one has loaded. It must not change the address of that page.
    const timer = setTimeout(() => {
      if (window.location.pathname === pathname) setValue(text, { replace: true })
    }, PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text, value, setValue])
  return [text, setText]
}
