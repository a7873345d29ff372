import type { FileImport } from '../api/imports.ts'
import { imports as t } from '../texts/index.ts'

/** The content of a file, as it was chosen or recognised. */
export function kindOf({ kind, preview }: FileImport): string {
  const known = kind ?? preview?.kind ?? null
  return known === null ? t.unknown : (t.kinds[known] ?? known)
}
