import type { ListedImport } from '../api/imports.ts'
import { imports as t } from '../texts/index.ts'

/** The content of a file, as it was chosen or recognised. */
export const kindOf = ({ kind }: ListedImport): string => (kind === null ? t.unknown : (t.kinds[kind] ?? kind))
