import { useLayoutEffect, useState } from 'react'
import { shell as texts } from '../texts/index.ts'

/** The forms on the page with changes that are not saved. */
const changedForms = new Set<object>()

window.addEventListener('beforeunload', (event) => {
  if (changedForms.size > 0) event.preventDefault()
})

/** While `changed`, leaving the page asks first: by a link, by Back and Forward, by a reload, and by closing the tab. */
export function useUnsaved(changed: boolean): void {
  // Before the next click can arrive.
  useLayoutEffect(() => {
    if (!changed) return
    const form = {}
    changedForms.add(form)
    return () => void changedForms.delete(form)
  }, [changed])
}

/**
 * Guards the input of a form that starts with the saved values, and keeps its input when it is saved.
 * @param input the values of the fields, without functions
 */
export function useUnsavedInput(input: unknown, save: { pending: boolean; error: unknown }): void {
  const text = JSON.stringify(input)
  const [saved, setSaved] = useState(text)
  /** The values that are being saved. */
  const [sent, setSent] = useState<string>()
  if (save.pending && sent === undefined) setSent(text)
  if (!save.pending && sent !== undefined) {
    setSent(undefined)
    if (!save.error) setSaved(sent)
  }
  useUnsaved(text !== saved)
}

/** Asks if a form has unsaved changes. */
const mayLeave = (): boolean => changedForms.size === 0 || window.confirm(texts.unsaved)

/** Call before a navigation that follows from saving or deleting the object of the form. */
export const forgetUnsaved = (): void => changedForms.clear()

/** Whether a navigation to an address of the app may continue. Other parameters of the page keep its forms. */
export const mayNavigate = (to: string): boolean =>
  new URL(to, location.href).pathname === location.pathname || mayLeave()

/** The place in the history that is shown. */
let shown = { path: location.pathname, href: location.href, state: history.state as unknown }

const noteShown = (): void => {
  shown = { path: location.pathname, href: location.href, state: history.state }
}

// The last two are events of wouter.
for (const type of ['hashchange', 'pushState', 'replaceState']) window.addEventListener(type, noteShown)

/**
 * Back and Forward have already changed the address when the browser reports them, and no API of all browsers can refuse
 * them. If the user stays, the page adds its own address to the history again, which changes the order of the history. Captures the
 * event, because the router must not see an address that is not shown.
 */
window.addEventListener(
  'popstate',
  (event) => {
    if (location.pathname === shown.path || mayLeave()) {
      noteShown()
      return
    }
    event.stopImmediatePropagation()
    history.pushState(shown.state, '', shown.href)
  },
  { capture: true },
)
