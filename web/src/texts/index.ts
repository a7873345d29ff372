import { english } from './en/index.ts'
import { formatFor } from './format.ts'
import { chooseLanguage, chooseLocale, readChoice } from './language.ts'

/** The language of this page. To change it, save a choice and load the page again. */
export const language = chooseLanguage(readChoice(), navigator.languages)
export const locale = chooseLocale(language, navigator.languages)
document.documentElement.lang = language

export const { account, consent, explore, hooks, operator, playground, serverApi, shell, signIn } = english(
  formatFor(locale),
)
