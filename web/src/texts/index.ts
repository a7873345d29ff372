import { everyPage } from './en/every-page.ts'
import { formatFor, type Format } from './format.ts'
import { chooseLocale, type Language, languageOfApp } from './language.ts'

export type { Language }

/** The default language is part of every page. Another one is loaded when it is chosen. */
const catalogues: Record<Language, () => Promise<(format: Format) => ReturnType<typeof everyPage>>> = {
  en: () => Promise.resolve(everyPage),
  de: async () => (await import('./de/index.ts')).german,
}

/** The language of this page. To change it, save a choice and load the page again. */
export const language = languageOfApp()
export const locale = chooseLocale(language, navigator.languages)
document.documentElement.lang = language

const textsIn = await catalogues[language]()
export const {
  account,
  claim,
  consent,
  content,
  explore,
  holders,
  hooks,
  my,
  picker,
  playground,
  points,
  rules,
  search,
  serverApi,
  shell,
  signIn,
  snapshots,
  sources,
  teams,
} = textsIn(formatFor(locale))
