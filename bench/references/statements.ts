import { declaredStatements } from '../../server/src/database/statement.ts'
import '../../server/src/features/tables.ts'

/** The texts of statements of the service, for references that ask the same of the database. */
export function statementsOfService(names: Record<string, string>): Record<string, { name: string; text: string }> {
  return Object.fromEntries(
    Object.entries(names).map(([as, name]) => {
      const found = declaredStatements().find((statement) => statement.name === name)
      if (!found) throw new Error(`the service has no statement ${name}`)
      return [as, { name, text: found.text }]
    }),
  )
}
