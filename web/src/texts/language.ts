import {
  CHOICE_LIFETIME,
  chooseLanguage,
  DEFAULT_LOCALE,
  type Language,
  LANGUAGE_COOKIE,
  languageOfTag,
  readChoice,
} from '../../../server/src/texts/languages.ts'

export { chooseLanguage, DEFAULT_LOCALE, type Language, LANGUAGES } from '../../../server/src/texts/languages.ts'

/** The locale of numbers: a region of the language that the browser prefers, otherwise a default one. */
export function chooseLocale(language: Language, preferred: readonly string[]): string {
  return preferred.find((tag) => tag !== language && languageOfTag(tag) === language) ?? DEFAULT_LOCALE[language]
}

/** The language of the app. A choice that is still in use does not expire. */
export function languageOfApp(): Language {
  const choice = readChoice(document.cookie)
  if (choice !== undefined) saveChoice(choice)
  return chooseLanguage(choice, navigator.languages)
}

/** In a cookie, because the service needs the choice for the pages that it writes. */
export function saveChoice(language: Language): void {
  const secure = location.protocol === 'https:' ? ';secure' : ''
  document.cookie = `${LANGUAGE_COOKIE}=${language};path=/;samesite=lax;max-age=${CHOICE_LIFETIME}${secure}`
}
