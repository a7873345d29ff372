import { type CompiledQuery, Kysely, PostgresDialect } from 'kysely'
import type { Database } from '../../src/database/connection.ts'
import type { DB } from '../../src/database/tables.ts'

/** The statements that `work` sends, with their parameters. */
export async function statementsOf(
  { pool }: Pick<Database, 'pool'>,
  work: (kysely: Kysely<DB>) => Promise<unknown>,
): Promise<CompiledQuery[]> {
  const statements: CompiledQuery[] = []
  // Not destroyed, because the pool remains in use.
  await work(
    new Kysely<DB>({ dialect: new PostgresDialect({ pool }), log: ({ query }) => void statements.push(query) }),
  )
  return statements
}
