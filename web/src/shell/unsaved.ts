import { createContext, useContext, useLayoutEffect, useState } from 'react'
import { shell as texts } from '../texts/index.ts'

/** The forms on the page with changes that are not saved, each with the part of the page that it is in. */
const changedForms = new Set<{ part: object | undefined }>()

const PartOfPage = createContext<object | undefined>(undefined)

/** Around forms that can close while the page stays. `mayClose` asks for them alone. */
export const UnsavedPart = PartOfPage.Provider

export const useUnsavedPart = (): object => useState({})[0]

window.addEventListener('beforeunload', (event) => {
  if (changedForms.size > 0) event.preventDefault()
})

/**
 * While `changed`, leaving the page asks first: by a link, by Back and Forward, by a reload, by closing the tab, by a
 * sign-out, and by a change of the language.
 */
export function useUnsaved(changed: boolean): void {
  const part = useContext(PartOfPage)
  // Before the next click can arrive.
  useLayoutEffect(() => {
    if (!changed) return
    const form = { part }
    changedForms.add(form)
    return () => void changedForms.delete(form)
  }, [changed, part])
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
export const mayLeave = (): boolean => changedForms.size === 0 || window.confirm(texts.unsaved)

/** Asks if a form in this part has unsaved changes. */
export const mayClose = (part: object): boolean =>
  ![...changedForms].some((form) => form.part === part) || window.confirm(texts.unsavedPart)

/** Call before a navigation that follows from saving or deleting the object of the form. */
export const forgetUnsaved = (): void => changedForms.clear()
