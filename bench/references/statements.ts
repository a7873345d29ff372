import { declaredStatements } from '@questboard/pg-read-pipeline'
import '../../server/src/resolvers/tables.ts'
import type { ReferenceOptions } from './prepared.ts'

type Statements = ReferenceOptions['statements']

const NAMES = { page: 'space.page-after', holds: 'holders.holds' } as const

/** The service's statements for S2 and S3, for references that send the same statements (prepared.ts). */
export function statementsOfService(): Statements {
  return { page: statementOfService('page', 6), holds: statementOfService('holds', 3) }
}

/**
 * @param parameters the number of values that the benchmark sends
 * @throws if the service has no such statement, or the statement has another number of parameters
 */
export function statementOfService(which: keyof Statements, parameters: number): Statements[keyof Statements] {
  const name = NAMES[which]
  const text = declaredStatements().find((statement) => statement.name === name)?.text
  if (text === undefined) throw new Error(`the service has no statement ${name}`)
  const declared = Math.max(0, ...[...text.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)))
  if (declared !== parameters)
    throw new Error(`the statement ${name} has ${declared} parameters; the benchmark sends ${parameters}`)
  return { name, text }
}
