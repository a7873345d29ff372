import type { ListedImport } from '../api/imports.ts'
import { imports as t } from '../texts/operator-pages.ts'

/** The name of the kind of records in a file, which the user has chosen or the service has detected. */
export const kindOf = ({ kind }: ListedImport): string => (kind === null ? t.unknown : (t.kinds[kind] ?? kind))
