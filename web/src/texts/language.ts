/** The languages of the pages, each by its own name. The first one is the default. */
export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const

export type Language = keyof typeof LANGUAGES

const KEY = 'questboard.language'
const DEFAULT_LOCALE: Record<Language, string> = { en: 'en-GB', de: 'de-DE' }

const isLanguage = (tag: unknown): tag is Language => typeof tag === 'string' && Object.hasOwn(LANGUAGES, tag)
const languageOf = (tag: string) => tag.toLowerCase().split('-')[0]

/** The language of the pages: the user's choice, otherwise the first of the browser's languages that exists here. */
export function chooseLanguage(choice: string | null, preferred: readonly string[]): Language {
  return isLanguage(choice) ? choice : (preferred.map(languageOf).find(isLanguage) ?? 'en')
}

/** The locale of dates and numbers: a region of the language that the browser prefers, otherwise a default one. */
export function chooseLocale(language: Language, preferred: readonly string[]): string {
  return preferred.find((tag) => tag !== language && languageOf(tag) === language) ?? DEFAULT_LOCALE[language]
}

export function readChoice(): string | null {
  try {
    return localStorage.getItem(KEY)
  } catch {
    return null // storage is switched off
  }
}

function saveChoice(language: Language): void {
  try {
    localStorage.setItem(KEY, language)
  } catch {
    // storage is switched off: the browser's own language stays
  }
}

/** Saves the choice and loads the page again, because texts are read when it starts. */
export function changeLanguage(language: Language): void {
  saveChoice(language)
  location.reload()
}
