import type { Format } from '../format.ts'
import { everyPage } from './every-page.ts'
import { operatorPages } from './operator-pages.ts'

/** The English catalogue. Every other catalogue has its type, so that a missing text does not compile. */
export const english = (format: Format) => ({ ...everyPage(format), ...operatorPages(format) })

export type Texts = ReturnType<typeof english>
