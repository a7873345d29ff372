import type { FaultCatalogue } from '../../../server/src/texts/faults.ts'
import { language, type Language } from './index.ts'

interface Refusals {
  faults: FaultCatalogue
  /** Texts of errors, by their codes, in place of the messages of the service. */
  errors: Readonly<Record<string, string>>
}

const catalogues: Record<Language, () => Promise<Refusals>> = {
  en: async () => ({ faults: (await import('./en/faults.ts')).faults, errors: {} }),
  de: async () => ({
    faults: (await import('./de/faults.ts')).faults,
    errors: (await import('./de/errors.ts')).errors,
  }),
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
export function errorText(code: string): string | undefined {
  const errors = loaded?.errors
  return errors && Object.hasOwn(errors, code) ? errors[code] : undefined
}
