import { english } from './en.ts'
import { german } from './de.ts'
import { formatFor } from './format.ts'
import { DEFAULT_LOCALE, type Language } from './languages.ts'
import { pageFormatFor, type PageFormat } from './page-format.ts'

type Catalogue = ReturnType<typeof english>

/** The texts of the pages that the service writes, in one language, and how this language writes numbers and times. */
export interface PageTexts extends Catalogue, PageFormat {
  language: Language
}

const inLanguage = (language: Language, catalogue: (format: PageFormat) => Catalogue): PageTexts => {
  const format = { ...formatFor(language), ...pageFormatFor(DEFAULT_LOCALE[language]) }
  return { language, ...format, ...catalogue(format) }
}

/** The texts of every language, because a service responds in all of them. */
export const pageTexts: Readonly<Record<Language, PageTexts>> = {
  en: inLanguage('en', english),
  de: inLanguage('de', german),
}
