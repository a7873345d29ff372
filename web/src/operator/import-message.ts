import type { ListedImport } from '../api/imports.ts'
import { describeFault } from '../shell/describe-fault.ts'
import { imports as t } from '../texts/operator-pages.ts'

/** Why the whole file is refused, or its import failed, in the words and the language of the page. */
export function messageOf({ message, fault }: Pick<ListedImport, 'message' | 'fault'>): string | null {
  if (message === null || !fault) return message
  const { kind } = fault.parameters
  const named = typeof kind === 'string' ? { kind: t.kinds[kind] ?? kind } : {}
  return describeFault({ message, fault: { ...fault, parameters: { ...fault.parameters, ...named } } })
}
