import type { FaultCatalogue } from '../../../server/src/texts/faults.ts'
import { language, type Language } from './index.ts'

const catalogues: Record<Language, () => Promise<FaultCatalogue>> = {
  en: async () => (await import('./en/faults.ts')).faults,
  de: async () => (await import('./de/faults.ts')).faults,
}

/** The texts of refused fields, after the first refusal. */
export let faultTexts: FaultCatalogue | undefined

/** Loads the texts of refused fields. They are no part of the pages, because most visits see no refusal. */
export async function loadFaultTexts(): Promise<void> {
  // After an update of the service, the file of an older page may be gone. The messages of the service remain.
  faultTexts ??= await catalogues[language]().catch(() => undefined)
}
