import { declaredStatements } from '../../server/src/database/statement.ts'
import '../../server/src/features/tables.ts'
import type { ReferenceOptions } from './prepared.ts'

/** One look-up as one writes it by hand. The service asks for the addresses of several requests at once. */
const holds = {
  name: 'holds',
  text: `SELECT EXISTS (
     SELECT FROM credential_holders h
     WHERE h.credential_id = $1 AND h.address = $2
       AND h.generation = (SELECT generation FROM credentials WHERE credential_id = $1)
   ) AS holds`,
}

/** The statements of S2 and S3, for references that ask the same of the database: the page's is the service's own. */
export function statementsOfService(): ReferenceOptions['statements'] {
  return { page: textOf('space.page-after'), holds }
}

function textOf(name: string): { name: string; text: string } {
  const found = declaredStatements().find((statement) => statement.name === name)
  if (!found) throw new Error(`the service has no statement ${name}`)
  return { name, text: found.text }
}
