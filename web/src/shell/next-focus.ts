import { CONTROL, LOADING, nameOf } from './focus-places.ts'
import { FIELD } from './lead-to.ts'

/** A clicked button that added elements to the page. */
export interface Opener {
  control: HTMLElement
  /** Its name at the click: React replaces buttons, and gives them other names. */
  name: string
}

/** The focus that was lost because its element was removed. */
export interface Loss {
  element: Element
  /** The element and the places around it, from the inside to the outside. */
  places: Element[]
  /** The clicked button whose effect this is; undefined for the effect of a request. */
  opener: Opener | undefined
  /** The buttons that added the elements of the page. */
  openers: WeakMap<Element, Opener>
  /** The elements that were added since. */
  added: Element[]
  /** The change that removed the element. */
  records: MutationRecord[]
}

/** The entries of lists. A section is also a form that a button has opened. */
const LISTED = 'li, fieldset, tr'
const ENTRY = `${LISTED}, section`
const PART = `${ENTRY}, [role="group"], [role="dialog"]`
const PAGE_TITLE = 'h1.page-title'

/**
 * The place at which the user continues:
 * - the button of a closed dialog or form, or of the only entry of a list;
 * - the first field of an opened form;
 * - what has replaced the element, such as the same button in a new form, a message or a section;
 * - the next entry of the list, or the previous one;
 * - the entry, group or section around it.
 *
 * Undefined while the page changes, because the title of a page takes the focus.
 */
export function nextFocus(loss: Loss): HTMLElement | undefined {
  const { element, places, opener, openers, added } = loss
  const title = document.querySelector<HTMLElement>(PAGE_TITLE)
  if (!title || added.some((root) => root.contains(title))) return undefined
  // The element around closed dialogs stays.
  const survivor = places.findIndex((place) => place.isConnected && place.closest('#root, [role="dialog"]') !== null)
  const place = places[survivor]
  const removed = places[survivor - 1]
  if (!(place instanceof HTMLElement) || !removed) return undefined
  if (place.matches(CONTROL)) return place

  const { before, after } = neighbours(loss, removed, place)
  const isInList = removed.matches(LISTED) && [before, after].some((one) => one?.tagName === removed.tagName)
  for (const part of isInList ? [] : places.slice(0, survivor)) {
    const button = buttonOf(openers.get(part), place)
    if (button) return button
  }

  const find = (selector: string, fits: (found: HTMLElement) => boolean = () => true) =>
    [...place.querySelectorAll<HTMLElement>(selector)].find(
      (found) => added.some((root) => root.contains(found)) && isUsable(found) && fits(found),
    )
  const isSame = (found: HTMLElement) => nameOf(found) === nameOf(element)
  const arrived = () =>
    opener === undefined
      ? (find(element.tagName, isSame) ?? find('.notice, section, li') ?? find(LOADING))
      : (find(FIELD) ?? find(LOADING) ?? find(CONTROL))
  const entry = [after, before?.tagName === removed.tagName ? before : undefined].find((one) => one?.matches(ENTRY))
  const isEntry = removed.matches(ENTRY)
  const next =
    (isEntry ? (find(element.tagName, isSame) ?? entry) : undefined) ??
    arrived() ??
    entry ??
    (opener === undefined || isEntry ? undefined : fieldBeside(before, after, place)) ??
    place.closest<HTMLElement>(PART) ??
    title
  return headingOf(next) ?? next
}

const isUsable = (element: HTMLElement) => element.checkVisibility() && !element.matches(':disabled')

/** The button that opened a closed part, or the one that has replaced it. */
function buttonOf(opener: Opener | undefined, place: Element): HTMLElement | undefined {
  if (!opener) return undefined
  const { control, name } = opener
  return control.isConnected && isUsable(control) ? control : controlNamed(name, place)
}

/** The control with this name that is next to a place in the same section: each group can have an equal button. */
function controlNamed(name: string, place: Element): HTMLElement | undefined {
  const part = place.closest('section, [role="dialog"]') ?? document.body
  for (let around: Element | null = place; around; around = around === part ? null : around.parentElement) {
    const found = [...around.querySelectorAll<HTMLElement>(CONTROL)].find(
      (control) => nameOf(control) === name && isUsable(control),
    )
    if (found) return found
  }
  return undefined
}

/** The element that was before a removed one, and the element that is now after it. */
function neighbours({ records }: Loss, removed: Element, place: Element) {
  const removalOf = (node: Node) =>
    records.find(({ target, removedNodes }) => target === place && [...removedNodes].includes(node))
  if (!removalOf(removed)) return { before: undefined, after: undefined }
  let node: Node | null = removed
  do node = node.isConnected ? node.previousSibling : (removalOf(node)?.previousSibling ?? null)
  while (node && !(node instanceof HTMLElement && node.isConnected))
  const after = node ? node.nextElementSibling : place.firstElementChild
  return { before: node ?? undefined, after: after instanceof HTMLElement ? after : undefined }
}

/** A button that disappears when it is clicked has often changed the field beside it, such as that of a picker. */
function fieldBeside(before: Element | undefined, after: Element | undefined, place: Element): HTMLElement | undefined {
  const fieldsIn = (part: Element | undefined) =>
    part === undefined
      ? []
      : [part, ...part.querySelectorAll(FIELD)].filter(
          (field): field is HTMLElement => field instanceof HTMLElement && field.matches(FIELD) && isUsable(field),
        )
  return fieldsIn(before).at(-1) ?? fieldsIn(after)[0] ?? (place.matches(PART) ? undefined : fieldsIn(place)[0])
}

function headingOf(section: HTMLElement): HTMLElement | undefined {
  const id = section.matches('section') ? section.getAttribute('aria-labelledby') : null
  return (id === null ? null : document.getElementById(id)) ?? undefined
}
