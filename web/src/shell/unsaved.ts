import { useEffect } from 'react'
import { shell as texts } from '../texts/index.ts'

/** The forms on the page with changes that are not saved. */
const changedForms = new Set<object>()

window.addEventListener('beforeunload', (event) => {
  if (changedForms.size > 0) event.preventDefault()
})

/** While a form has unsaved changes, leaving the page asks first. */
export function useUnsaved(changed: boolean): void {
  useEffect(() => {
    if (!changed) return
    const form = {}
    changedForms.add(form)
    return () => void changedForms.delete(form)
  }, [changed])
}

/** Asks if a form has unsaved changes. */
export const mayLeave = (): boolean => changedForms.size === 0 || window.confirm(texts.unsaved)

/** Call before a navigation that follows from saving or deleting the object of the form. */
export const forgetUnsaved = (): void => changedForms.clear()
