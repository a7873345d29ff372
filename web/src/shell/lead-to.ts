export const FIELD = 'input:not([type="hidden"]), select, textarea'

/**
 * Scrolls to a field, or to an element with its first field, and puts the cursor there. Opens the sections around it. The
 * history stays as it is.
 */
export function leadTo(place: Element | null): void {
  for (let around = place?.closest('details'); around; around = around.parentElement?.closest('details'))
    around.open = true
  const field = place?.matches(FIELD) ? place : place?.querySelector(FIELD)
  if (field instanceof HTMLElement) field.focus({ preventScroll: true })
  // In the middle of the window, because the header covers its top.
  place?.scrollIntoView({ block: 'center' })
}
