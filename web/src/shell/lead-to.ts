const FIELD = 'input, select, textarea'

/** Scrolls to a field, or to the first field in an element, and puts the cursor there. The history stays as it is. */
export function leadTo(id: string): void {
  const place = document.getElementById(id)
  const field = place?.matches(FIELD) ? place : place?.querySelector<HTMLElement>(FIELD)
  // In the middle of the window, because the header covers its top.
  field?.scrollIntoView({ block: 'center' })
  field?.focus({ preventScroll: true })
}
