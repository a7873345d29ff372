/** Storage of this tab, gone when it closes. Where the browser forbids storage it lasts until the page is reloaded. */
export const tabStorage: Storage = storageOfTab() ?? storageOfPage()

function storageOfTab(): Storage | undefined {
  try {
    return window.sessionStorage
  } catch {
    return undefined // reading the property throws when the user blocks storage
  }
}

function storageOfPage(): Storage {
  const entries = new Map<string, string>()
  return {
    getItem: (key) => entries.get(key) ?? null,
    setItem: (key, value) => void entries.set(key, value),
    removeItem: (key) => void entries.delete(key),
    clear: () => entries.clear(),
    key: (index) => [...entries.keys()][index] ?? null,
    get length() {
      return entries.size
    },
  }
}
