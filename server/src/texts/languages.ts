/**
 * The languages of the pages, each by its own name. The first one is the default. The app for people uses this file too.
 */
export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const

export type Language = keyof typeof LANGUAGES

export const languages = Object.keys(LANGUAGES) as Language[]

/** The locale of all dates, and of numbers if the region is unknown, as on pages that are the same for everyone. */
export const DEFAULT_LOCALE: Readonly<Record<Language, string>> = { en: 'en-GB', de: 'de-DE' }

/** The choice of a visitor. Scripts of the pages set it; the service reads it for pages that it writes. */
export const LANGUAGE_COOKIE = 'questboard-language'

/** A year, in seconds. */
export const CHOICE_LIFETIME = 31_536_000

const CHOICE = new RegExp(`(?:^|; ?)${LANGUAGE_COOKIE}=([^;]*)`)

export const isLanguage = (tag: unknown): tag is Language => typeof tag === 'string' && Object.hasOwn(LANGUAGES, tag)

export const languageOfTag = (tag: string): string => tag.toLowerCase().split('-', 1)[0] ?? ''

/** @param cookies `document.cookie`, or the header `Cookie` */
export function readChoice(cookies: string): Language | undefined {
  const choice = CHOICE.exec(cookies)?.[1]
  return isLanguage(choice) ? choice : undefined
}

/** The language of a page: the choice of the visitor, otherwise the first preferred language that exists. */
export const chooseLanguage = (choice: Language | undefined, preferred: readonly string[]): Language =>
  choice ?? preferred.map(languageOfTag).find(isLanguage) ?? 'en'
