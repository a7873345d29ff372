import type { ClientBase } from 'pg'
import { type DefinedForeignKey, identifier } from './catalogue.queries.ts'

/** What a run leaves behind when it is cut short, and needs to know when it goes on. */
export interface WrittenDown {
  /** Foreign keys that were dropped and are to be made again in the end. */
  comeBack: DefinedForeignKey[]
  /** Foreign keys that were dropped for good: they cannot be held between nodes. */
  ended: DefinedForeignKey[]
  /** Tables of which the coordinator may still have the rows that were moved. */
  copies: string[]
}

const COME_BACK = 'distribution.foreign-keys'
const ENDED = 'distribution.ended-foreign-keys'
const COPIES = 'distribution.local-copies'

export async function readWrittenDown(client: ClientBase): Promise<WrittenDown> {
  const { rows } = await client.query<{ name: string; value: string }>(
    'SELECT name, value FROM installation WHERE name = ANY ($1)',
    [[COME_BACK, ENDED, COPIES]],
  )
  const list = (name: string) => JSON.parse(rows.find((row) => row.name === name)?.value ?? '[]') as unknown[]
  return {
    comeBack: list(COME_BACK) as DefinedForeignKey[],
    ended: list(ENDED) as DefinedForeignKey[],
    copies: list(COPIES) as string[],
  }
}

/** Drops foreign keys, and writes down what is needed to go on or to go back, in one transaction. */
export async function dropForeignKeys(
  client: ClientBase,
  drop: readonly DefinedForeignKey[],
  { comeBack, ended, copies }: WrittenDown,
): Promise<void> {
  await inTransaction(client, async () => {
    for (const [name, list] of [
      [COME_BACK, comeBack],
      [ENDED, ended],
      [COPIES, copies],
    ] as const)
      await client.query(
        'INSERT INTO installation (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
        [name, JSON.stringify(list)],
      )
    for (const { table, name } of drop)
      await client.query(`ALTER TABLE ${identifier(table)} DROP CONSTRAINT ${identifier(name)}`)
  })
}

export async function addForeignKey(client: ClientBase, { table, name, definition }: DefinedForeignKey): Promise<void> {
  await client.query(`ALTER TABLE ${identifier(table)} ADD CONSTRAINT ${identifier(name)} ${definition}`)
}

/** Makes foreign keys again and forgets that they were dropped, all or none. */
export async function restoreDropped(client: ClientBase, keys: readonly DefinedForeignKey[]): Promise<void> {
  await inTransaction(client, async () => {
    for (const key of keys) await addForeignKey(client, key)
    await client.query('DELETE FROM installation WHERE name = ANY ($1)', [[COME_BACK, ENDED, COPIES]])
  })
}

/** A run is complete. What has ended stays written down, for who brings the tables back to one server. */
export async function forgetRun(client: ClientBase): Promise<void> {
  await client.query('DELETE FROM installation WHERE name = ANY ($1)', [[COME_BACK, COPIES]])
}

async function inTransaction(client: ClientBase, work: () => Promise<void>): Promise<void> {
  await client.query('BEGIN')
  try {
    await work()
    await client.query('COMMIT')
  } catch (error) {
    await client.query('ROLLBACK')
    throw error
  }
}
