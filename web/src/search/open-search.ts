const OPEN = 'open-search'

/** Opens the search in the header of the page. */
export const openSearch = () => window.dispatchEvent(new Event(OPEN))

/** @returns a function that stops listening */
export function onOpenSearch(open: () => void): () => void {
  window.addEventListener(OPEN, open)
  return () => window.removeEventListener(OPEN, open)
}
