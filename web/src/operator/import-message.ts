import type { ListedImport } from '../api/imports.ts'
import { describeFault } from '../shell/describe-fault.ts'

/** Why the whole file is refused, or its import failed, in the language of the page. */
export const messageOf = ({ message, fault }: Pick<ListedImport, 'message' | 'fault'>): string | null =>
  message === null ? null : describeFault({ message, fault: fault ?? undefined })
