/** The limit of the field of the search. */
const MAX_LENGTH = 100

/** Keys that change the field of the page, send its form, or leave it. */
const OF_FIELDS = ['Enter', 'Tab', 'Delete', 'Home', 'End', 'ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown']

export interface EarlyKeys {
  /** Called when the search opens. After the first time, its field exists at once. */
  collect: () => void
  /** Whether the key belongs to the field of the search. */
  keeps: (event: KeyboardEvent) => boolean
  /** Forgets the text. @returns whether the search was about to open */
  giveUp: () => boolean
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
    keeps(event) {
      const { key, ctrlKey, metaKey, altKey } = event
      // Windows reports AltGr as Ctrl and Alt.
      const isShortcut = (ctrlKey || metaKey || altKey) && !event.getModifierState('AltGraph')
      if (state !== 'collecting' || isShortcut) return false
      if (key === 'Backspace') text = text.slice(0, -1)
      else if (key.length === 1) text = (text + key).slice(0, MAX_LENGTH)
      else return OF_FIELDS.includes(key)
      return true
    },
    giveUp() {
      if (state !== 'collecting') return false
      text = ''
      state = 'unopened'
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
