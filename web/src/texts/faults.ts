import type { FaultCatalogue } from '../../../server/src/texts/faults.ts'
import { language, type Language } from './index.ts'

interface Refusals {
  faults: FaultCatalogue
  /** Texts of errors, by their codes, in place of the messages of the service. */
  errors: Readonly<Record<string, string>>
  /** Texts of errors of queries, by their messages, which say more than their codes and do not change. */
  queryErrors: Readonly<Record<string, string>>
}

const catalogues: Record<Language, () => Promise<Refusals>> = {
  en: async () => ({ faults: (await import('./en/faults.ts')).faults, errors: {}, queryErrors: {} }),
  de: async () => {
    const [{ faults }, texts] = await Promise.all([import('./de/faults.ts'), import('./de/errors.ts')])
    return { faults, ...texts }
  },
}

let loaded: Refusals | undefined

/** Undefined before the first refusal. */
export const faultTexts = (): FaultCatalogue | undefined => loaded?.faults

/** Loads the texts of refusals. They are no part of the pages, because most visits see no refusal. */
export async function loadFaultTexts(): Promise<void> {
  // After an update of the service, the file of an older page may be gone. The messages of the service remain.
  loaded ??= await catalogues[language]().catch(() => undefined)
}

/** The text of an error, after `loadFaultTexts`; undefined if the message of the service is shown. */
export const errorText = (code: string): string | undefined => own(loaded?.errors, code)

/** The same for an error of a query. Its code is that of the JSON API in upper case. */
export const queryErrorText = ({ code, message }: { code: string; message: string }): string | undefined =>
  own(loaded?.queryErrors, message) ?? errorText(code.toLowerCase())

const own = (texts: Readonly<Record<string, string>> = {}, key: string): string | undefined =>
  Object.hasOwn(texts, key) ? texts[key] : undefined
