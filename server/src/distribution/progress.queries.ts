import type { ClientBase } from 'pg'
import { type DefinedForeignKey, identifier } from './catalogue.queries.ts'

/** The records of an interrupted run, needed to continue it. */
export interface DistributionProgress {
  /** Foreign keys that were dropped and must be created again. */
  comeBack: DefinedForeignKey[]
  /** Foreign keys that were dropped permanently, because a cluster cannot enforce them. */
  ended: DefinedForeignKey[]
  /** Tables whose moved rows may still be on the coordinator. */
  copies: string[]
}

const FOREIGN_KEYS = 'distribution.foreign-keys'
const ENDED = 'distribution.ended-foreign-keys'
const COPIES = 'distribution.local-copies'

export async function readProgress(client: ClientBase): Promise<DistributionProgress> {
  const { rows } = await client.query<{ name: string; value: string }>(
    'SELECT name, value FROM installation WHERE name = ANY ($1)',
    [[FOREIGN_KEYS, ENDED, COPIES]],
  )
  const list = (name: string) => JSON.parse(rows.find((row) => row.name === name)?.value ?? '[]') as unknown[]
  return {
    comeBack: list(FOREIGN_KEYS) as DefinedForeignKey[],
    ended: list(ENDED) as DefinedForeignKey[],
    copies: list(COPIES) as string[],
  }
}

/** Drops foreign keys and records them, in one transaction. */
export async function dropForeignKeys(
  client: ClientBase,
  drop: readonly DefinedForeignKey[],
  { comeBack, ended, copies }: DistributionProgress,
): Promise<void> {
  await inTransaction(client, async () => {
    for (const [name, list] of [
      [FOREIGN_KEYS, comeBack],
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

/** Creates dropped foreign keys again and deletes their records; all or none. */
export async function restoreDropped(client: ClientBase, keys: readonly DefinedForeignKey[]): Promise<void> {
  await inTransaction(client, async () => {
    for (const key of keys) await addForeignKey(client, key)
    await client.query('DELETE FROM installation WHERE name = ANY ($1)', [[FOREIGN_KEYS, ENDED, COPIES]])
  })
}

/** Deletes the records of a complete run. Ended keys stay recorded for a return to one server. */
export async function forgetRun(client: ClientBase): Promise<void> {
  await client.query('DELETE FROM installation WHERE name = ANY ($1)', [[FOREIGN_KEYS, COPIES]])
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
