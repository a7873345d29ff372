import { createContext, useContext, useLayoutEffect, useState } from 'react'
import { shell as texts } from '../texts/index.ts'

/** A part of the page with forms that can close while the page stays. */
interface Part {
  within: Part | undefined
}

/** The forms on the page with changes that are not saved. */
const changedForms = new Set<{ part: Part | undefined }>()

const PartOfPage = createContext<Part | undefined>(undefined)

/** Around the forms of a part, such as a dialog. `mayClose` asks only about them. */
export const UnsavedPart = PartOfPage.Provider

export function useUnsavedPart(): Part {
  const within = useContext(PartOfPage)
  return useState({ within })[0]
}

/** The values on the page that are shown only once, and that the user has not copied or closed. */
const shownValues = new Set<object>()

window.addEventListener('beforeunload', (event) => {
  if (changedForms.size > 0 || shownValues.size > 0) event.preventDefault()
})

/**
 * While `changed` is true, the user is asked before leaving the page: by a link, by Back and Forward, by a reload, by closing
 * the tab, by a sign-out, and by a change of the language.
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
 * Asks before the user leaves a form with unsaved input. The form starts with the saved values, and keeps its input after it
 * is saved.
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

/** While `shown`, a reload, a closed tab and a change of the language ask first. */
export function useShownOnce(shown: boolean): void {
  useLayoutEffect(() => {
    if (!shown) return
    const value = {}
    shownValues.add(value)
    return () => void shownValues.delete(value)
  }, [shown])
}

/** Asks before the page is loaded again. */
export const mayReload = (): boolean => mayLeave() && (shownValues.size === 0 || window.confirm(texts.valueLost))

/** Asks for a confirmation if a form has unsaved changes. Returns whether the user may leave the page. */
export const mayLeave = (): boolean => changedForms.size === 0 || window.confirm(texts.unsaved)

/** Whether a form in this part has unsaved changes. */
export const hasUnsaved = (part: Part): boolean => [...changedForms].some((form) => isIn(part, form.part))

const isIn = (part: Part, inner: Part | undefined): boolean =>
  inner !== undefined && (inner === part || isIn(part, inner.within))

/** Asks for a confirmation if a form in this part has unsaved changes. Returns whether the part may close. */
export const mayClose = (part: Part, question: string = texts.unsavedPart): boolean =>
  !hasUnsaved(part) || window.confirm(question)

/** Call it before a navigation that follows when an object is saved or deleted. The forms then do not ask. */
export function forgetUnsaved(): void {
  changedForms.clear()
  shownValues.clear()
}
