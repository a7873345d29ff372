/** A choice that this browser keeps. Undefined if there is none, or if the browser forbids storage. */
export function readChoice(key: string): string | undefined {
  try {
    return localStorage.getItem(key) ?? undefined
  } catch {
    return undefined
  }
}

export function keepChoice(key: string, value: string): void {
  try {
    localStorage.setItem(key, value)
  } catch {
    // The browser forbids storage: the choice lasts until the page is reloaded.
  }
}
