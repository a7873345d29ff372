import { CONTROL, LOADING, nameOf, placesOf } from './focus-places.ts'
import { type Loss, nextFocus, type Opener } from './next-focus.ts'

/**
 * When React removes the element with the focus, the browser gives the focus to the page, and the keyboard starts again at
 * the top. This moves it to the next logical place (`nextFocus`), unless another element has taken it. Returns a
 * function that ends this.
 */
export function keepFocus(): () => void {
  const end = new AbortController()
  const { signal } = end
  let held: { element: Element; places: Element[] } | undefined
  /** Where the focus was before it moved to a dialog or a message. */
  let inPage: Element[] = []
  /** The control that was clicked in this task. React shows the effect of a click before the task ends. */
  let clicked: Opener | undefined
  let loss: Loss | undefined
  /** The buttons that added these elements. */
  const openers = new WeakMap<Element, Opener>()
  /** The same, for parts that are still loading. */
  const loading = new WeakMap<Element, Opener>()

  const onFocus = ({ target }: FocusEvent) => {
    if (!(target instanceof Element)) return
    const { places, isInPage } = placesOf(target)
    if (isInPage) inPage = places
    held = { element: target, places: isInPage ? places : [...places, ...inPage] }
  }
  const onBlur = ({ target }: FocusEvent) => {
    // The browser also reports a removal as a blur. A window in the background keeps its focus.
    setTimeout(() => {
      const isGone = held?.element !== target || !held.element.isConnected
      if (!isGone && document.activeElement !== target && document.hasFocus()) held = undefined
    })
  }
  const onClick = ({ target }: MouseEvent) => {
    const control = target instanceof Element ? target.closest<HTMLElement>(CONTROL) : null
    if (!control) return
    clicked = { control, name: nameOf(control) }
    setTimeout(() => (clicked = undefined))
  }
  const onChange = (records: MutationRecord[]) => {
    const isLost = held !== undefined && !held.element.isConnected
    if (!isLost && !loss && clicked === undefined) return
    const added = records.flatMap(({ addedNodes }) => [...addedNodes].filter((node) => node instanceof Element))
    const opener = clicked ?? (isLost && held ? loading.get(held.element) : undefined)
    if (opener !== undefined) for (const root of added) openers.set(root, opener)
    if (loss) loss.added.push(...added)
    if (!isLost || !held) return
    loss = { ...held, opener, openers, added: [...(loss?.added ?? []), ...added], records }
    held = undefined
    // Components that move the focus themselves do so first.
    setTimeout(restore)
  }
  const restore = () => {
    const found = loss
    loss = undefined
    if (!found || (document.activeElement ?? document.body) !== document.body) return
    const target = nextFocus(found)
    if (!target) return
    if (found.opener !== undefined && target.matches(LOADING)) loading.set(target, found.opener)
    focusOn(target)
  }

  document.addEventListener('focusin', onFocus, { signal })
  document.addEventListener('focusout', onBlur, { signal })
  document.addEventListener('click', onClick, { signal, capture: true })
  const changes = new MutationObserver(onChange)
  changes.observe(document.body, { childList: true, subtree: true })
  signal.addEventListener('abort', () => changes.disconnect())
  return () => end.abort()
}

/** Focuses a control, or an element that the keyboard usually passes over, such as a heading, without scrolling to it. */
function focusOn(target: HTMLElement): void {
  if (target.matches(CONTROL)) return target.focus()
  const isAdded = !target.hasAttribute('tabindex')
  if (isAdded) target.tabIndex = -1
  target.dataset.keptFocus = ''
  const onBlur = () => {
    // A window in the background keeps its focus.
    if (!document.hasFocus()) return
    if (isAdded) target.removeAttribute('tabindex')
    delete target.dataset.keptFocus
    target.removeEventListener('blur', onBlur)
  }
  target.addEventListener('blur', onBlur)
  target.focus({ preventScroll: true })
}
