import { FIELD } from './lead-to.ts'

/** The elements that the keyboard reaches. */
export const CONTROL = `a[href], button, summary, ${FIELD}, [tabindex]:not([tabindex="-1"])`

/** Shown in place of content that loads (loading.tsx). */
export const LOADING = '.loading'

/** The accessible name of a control. */
export function nameOf(control: Element): string {
  const [label] = (control as HTMLInputElement).labels ?? []
  return (control.getAttribute('aria-label') ?? (label ?? control).textContent ?? '').trim()
}

/**
 * An element and those around it, from the inside to the outside. The place of a dialog or a list is that of its button (`ownerOf`).
 * The places of other dialogs, and of messages at the edge of the window, are not in the page.
 */
export function placesOf(element: Element): { places: Element[]; isInPage: boolean } {
  const places: Element[] = []
  let around: Element | null = element
  while (around && around.parentElement !== document.body && !around.matches('.toasts')) {
    places.push(around)
    const owner = ownerOf(around)
    around = owner && !places.includes(owner) ? owner : around.parentElement
  }
  return { places, isInPage: around?.id === 'root' }
}

/** The button that names an element in `aria-controls`: it opens a dialog or list, or adds entries to a list. */
export function ownerOf(element: Element): Element | null {
  const owner = element.id === '' ? null : document.querySelector(`[aria-controls="${CSS.escape(element.id)}"]`)
  return element.contains(owner) ? null : owner
}
