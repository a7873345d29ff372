import { CompiledQuery, type Kysely, type PostgresPool, type PostgresPoolClient } from 'kysely'
import type { Pool, PoolClient, QueryConfig, QueryResultRow } from 'pg'
import { refuseWhenAnswered } from './answered.ts'
import type { DB } from './tables.ts'

type Value = number | string | Date | Buffer | null

/** A statement of transactions that is run so often that each connection prepares it once, instead of planning it each time. */
export type PreparedWrite<Row> = (trx: Kysely<DB>, values: readonly Value[]) => Promise<Row[]>

const names = new Map<string, string>()

/** Declares such a statement; lists of values are given as text (array-literal.ts). @throws when another one has its name */
export function preparedWrite<Row extends QueryResultRow>(name: string, text: string): PreparedWrite<Row> {
  if (names.has(text) || [...names.values()].includes(name)) throw new Error(`two statements are called ${name}`)
  names.set(text, name)
  return async (trx, values) => (await trx.executeQuery<Row>(CompiledQuery.raw(text, [...values]))).rows
}

/** Every such statement that the loaded modules declare. */
export function declaredWrites(): readonly { name: string; text: string }[] {
  return [...names].map(([text, name]) => ({ name, text }))
}

/** The pool as Kysely takes it, of which the connections know the statements above by their names. */
export function preparing(pool: Pool): PostgresPool {
  const known = new WeakMap<PoolClient, PostgresPoolClient>()
  const dressed = (client: PoolClient): PostgresPoolClient => ({
    // Kysely asks for it to cancel what runs.
    processID: (client as { processID?: number }).processID as number,
    query: ((text: string, values: unknown[]) => {
      // Kysely rolls back when this throws.
      if (text === 'commit') refuseWhenAnswered()
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
