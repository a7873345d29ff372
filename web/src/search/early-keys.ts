export interface EarlyKeys {
  /** Called when the search opens. After the first time, its field exists at once. */
  collect: () => void
  /** Whether the key belongs to the field of the search. */
  keeps: (event: KeyboardEvent) => boolean
  /** @returns the text, when the field has the focus */
  take: () => string
}

/** What a user types until the code of the search has loaded. The focused field of the page would get it otherwise. */
export function earlyKeys(): EarlyKeys {
  let text = ''
  let state: 'unopened' | 'collecting' | 'taken' = 'unopened'
  return {
    collect() {
      if (state === 'unopened') state = 'collecting'
    },
    keeps({ key, ctrlKey, metaKey, altKey }) {
      if (state !== 'collecting' || ctrlKey || metaKey || altKey) return false
      if (key === 'Backspace') text = text.slice(0, -1)
      else if (key.length === 1) text += key
      else return false
      return true
    },
    take() {
      const taken = text
      text = ''
      state = 'taken'
      return taken
    },
  }
}
