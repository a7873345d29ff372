import { operatorPages } from './en/operator-pages.ts'
import { formatFor, type Format } from './format.ts'
import { type Language, language, locale } from './index.ts'

const catalogues: Record<Language, () => Promise<(format: Format) => ReturnType<typeof operatorPages>>> = {
  en: () => Promise.resolve(operatorPages),
  de: async () => (await import('./de/index.ts')).german,
}

const textsIn = await catalogues[language]()
/** Texts that only the console loads, so that they add nothing to the sign-in page. */
export const { bans, imports, operator, people } = textsIn(formatFor(locale))
