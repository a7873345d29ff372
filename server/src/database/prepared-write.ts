import { CompiledQuery, type Kysely, type PostgresPool, type PostgresPoolClient } from 'kysely'
import type { Pool, PoolClient, QueryConfig, QueryResultRow } from 'pg'
import { requireNoResponse } from './request-context.ts'
import type { DB } from './tables.ts'

type Value = number | string | Date | Buffer | null

/** A frequent statement of transactions. Each connection prepares it once, so that it is not planned each time. */
export type PreparedWrite<Row> = (trx: Kysely<DB>, values: readonly Value[]) => Promise<Row[]>

const names = new Map<string, string>()

/** Declares a statement; lists of values are text (array-literal.ts). @throws if the name is already used */
export function preparedWrite<Row extends QueryResultRow>(name: string, text: string): PreparedWrite<Row> {
  if (names.has(text) || [...names.values()].includes(name)) throw new Error(`two statements are called ${name}`)
  names.set(text, name)
  return async (trx, values) => (await trx.executeQuery<Row>(CompiledQuery.raw(text, [...values]))).rows
}

/** All declared statements of the loaded modules. */
export function declaredWrites(): readonly { name: string; text: string }[] {
  return [...names].map(([text, name]) => ({ name, text }))
}

/** A pool for Kysely whose connections execute declared statements by name. */
export function preparing(pool: Pool): PostgresPool {
  const known = new WeakMap<PoolClient, PostgresPoolClient>()
  const dressed = (client: PoolClient): PostgresPoolClient => ({
    // Kysely uses it to cancel statements.
    processID: (client as { processID?: number }).processID as number,
    query: ((text: string, values: unknown[]) => {
      // If this throws, Kysely rolls back.
      if (text === 'commit') requireNoResponse()
      const name = names.get(text)
      return client.query(name === undefined ? { text, values } : ({ name, text, values } satisfies QueryConfig))
    }) as unknown as PostgresPoolClient['query'],
    release: (destroy) => client.release(destroy),
  })
  return {
    options: pool.options,
    async connect() {
      const client = await pool.connect()
      let one = known.get(client)
      if (!one) known.set(client, (one = dressed(client)))
      return one
    },
    end: () => pool.end(),
  }
}
