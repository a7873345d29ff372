import { createContext, useContext, useLayoutEffect, useState } from 'react'
import { shell as texts } from '../texts/index.ts'

/** A part of the page that can close without a navigation, such as a dialog. It contains forms. */
interface Part {
  parent: Part | undefined
}

/** The forms on the page with changes that are not saved. */
const changedForms = new Set<{ part: Part | undefined }>()

const PartOfPage = createContext<Part | undefined>(undefined)

/** Wrap the forms of a part in this provider. `mayClose(part)` then checks only the forms inside it. */
export const FormPart = PartOfPage.Provider

export function useFormPart(): Part {
  const parent = useContext(PartOfPage)
  return useState({ parent })[0]
}

/** The values that the page shows only once and that the user has neither copied nor dismissed. */
const shownValues = new Set<object>()

window.addEventListener('beforeunload', (event) => {
  if (changedForms.size > 0 || shownValues.size > 0) event.preventDefault()
})

/**
 * While `changed` is true, the page asks for a confirmation before a link, Back, Forward, a reload, a closed tab, a sign-out
 * or a change of the language discards the input.
 */
export function useUnsaved(changed: boolean): void {
  const part = useContext(PartOfPage)
  // A layout effect runs before the next click can arrive.
  useLayoutEffect(() => {
    if (!changed) return
    const form = { part }
    changedForms.add(form)
    return () => void changedForms.delete(form)
  }, [changed, part])
}

/**
 * Asks before the user leaves a form with unsaved input. Use it in a form whose initial values count as saved, and which still
 * shows its input after a save.
 * @param input the values of the fields; they are compared as JSON
 * @returns whether the input differs from the saved values
 */
export function useUnsavedInput(input: unknown, save: { pending: boolean; error: unknown }): boolean {
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
  return text !== saved
}

/** While a value that is shown only once is on the page, the page asks for a confirmation as for changed forms. */
export function useShownOnce(shown: boolean): void {
  useLayoutEffect(() => {
    if (!shown) return
    const value = {}
    shownValues.add(value)
    return () => void shownValues.delete(value)
  }, [shown])
}

/** Asks about unsaved changes, and about a value that would be lost. Returns whether the user may leave the page. */
export const mayLeave = (): boolean =>
  (changedForms.size === 0 || window.confirm(texts.unsaved)) &&
  (shownValues.size === 0 || window.confirm(texts.valueLost))

export const hasUnsaved = (part: Part): boolean => [...changedForms].some((form) => isIn(part, form.part))

const isIn = (part: Part, inner: Part | undefined): boolean =>
  inner !== undefined && (inner === part || isIn(part, inner.parent))

/** Asks for a confirmation if a form in this part has unsaved changes. Returns whether the part may close. */
export const mayClose = (part: Part, question: string = texts.unsavedPart): boolean =>
  !hasUnsaved(part) || window.confirm(question)

/**
 * Forgets all unsaved changes and shown values, so that the next navigation does not ask. Call it after an object was saved or
 * deleted, before the page navigates.
 */
export function forgetUnsaved(): void {
  changedForms.clear()
  shownValues.clear()
}
