import { CONTROL, LOADING, nameOf, ownerOf } from './focus-places.ts'
import { FIELD } from './lead-to.ts'

/** A clicked button that added elements to the page. */
export interface Opener {
  control: HTMLElement
  /** Its name when it was clicked. React can replace the button or change its name. */
  name: string
}

/** The focus that was lost because its element was removed. */
export interface Loss {
  element: Element
  /** The element and the places around it, from the inside to the outside. */
  places: Element[]
  /** The clicked button that caused the removal; undefined if a request caused it. */
  opener: Opener | undefined
  /** The buttons that added elements to the page, by element. */
  openers: WeakMap<Element, Opener>
  /** The elements that this change and later changes have added. */
  added: Element[]
  /** The change that removed the element. */
  records: MutationRecord[]
}

/** These elements are always entries of a list. */
const LISTED = 'li, fieldset, tr'
/** A section is the entry of a list, such as a webhook, or a form that a button has opened. */
const ENTRY = `${LISTED}, section`
const PART = `${ENTRY}, [role="group"], [role="dialog"]`
const PAGE_TITLE = 'h1.page-title'

/**
 * The place at which the user continues. It is the first of these that exists:
 * - for a closed dialog or form, the button that opened it;
 * - for a removed entry of a list, the next entry, the previous entry, or the button that adds entries;
 * - for a button that opened a form, the first field of the form;
 * - for an element that a request replaced, the same element in the new content, a message or a section;
 * - for a button that changed a field and disappeared, the field;
 * - the entry, group or section around the element, or the title of the page.
 *
 * Undefined if the page changes, because its title then takes the focus.
 */
export function nextFocus(loss: Loss): HTMLElement | undefined {
  const { element, places, opener, openers, added } = loss
  const title = document.querySelector<HTMLElement>(PAGE_TITLE)
  if (!title || added.some((root) => root.contains(title))) return undefined
  // The container of dialogs stays in the document when a dialog closes, and is not a place to continue.
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
    (isEntry ? (find(element.tagName, isSame) ?? entry ?? addButtonOf(place)) : undefined) ??
    arrived() ??
    entry ??
    (opener === undefined || isEntry ? undefined : fieldBeside(before, after, place)) ??
    place.closest<HTMLElement>(PART) ??
    title
  return headingOf(next) ?? next
}

const isUsable = (element: HTMLElement) => element.checkVisibility() && !element.matches(':disabled')

/** The button that adds entries to a list. */
function addButtonOf(list: Element): HTMLElement | undefined {
  const button = ownerOf(list)
  return button instanceof HTMLElement && isUsable(button) ? button : undefined
}

/** The button that opened a closed part, or the button that has replaced it. */
function buttonOf(opener: Opener | undefined, place: Element): HTMLElement | undefined {
  if (!opener) return undefined
  const { control, name } = opener
  return control.isConnected && isUsable(control) ? control : controlNamed(name, place)
}

/** The control with this name that is nearest to a place in its section, because each group can have such a button. */
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

/** The field beside a button that disappeared when it was clicked. The button has often changed it, such as in a picker. */
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
