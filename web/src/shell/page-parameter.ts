import { useCallback, useEffect, useState } from 'react'
import { useSearchParams } from 'wouter'

const PAUSE_MS = 300

type SetParameter = (value: string, options?: { replace?: boolean }) => void

/**
 * A parameter in the address of the page, such as `?status=Active`, which reloads, Back and shared links keep. Empty text
 * removes it. A change adds an entry to the history, unless it replaces the current one.
 */
export function usePageParameter(name: string): [string, SetParameter] {
  const [parameters, setParameters] = useSearchParams()
  const set = useCallback<SetParameter>(
    (value, options) => {
      // The present address, because another parameter can have changed since the last rendering.
      const now = new URLSearchParams(window.location.search)
      if ((now.get(name) ?? '') === value) return
      if (value === '') now.delete(name)
      else now.set(name, value)
      setParameters(now, options)
    },
    [name, setParameters],
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
