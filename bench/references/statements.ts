import { declaredStatements } from '@questboard/pg-read-pipeline'
import '../../server/src/features/tables.ts'
import type { ReferenceOptions } from './prepared.ts'

/** The texts of the service's statements for S2 and S3, for references that ask the same of the database. */
export function statementsOfService(): ReferenceOptions['statements'] {
  return { page: textOf('space.page-after'), holds: textOf('holders.holds') }
}

function textOf(name: string): { name: string; text: string } {
  const found = declaredStatements().find((statement) => statement.name === name)
  if (!found) throw new Error(`the service has no statement ${name}`)
  return { name, text: found.text }
}
