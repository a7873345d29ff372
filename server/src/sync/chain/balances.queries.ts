import { type Kysely, sql } from 'kysely'
import type { DB } from '../../database/tables.ts'
import { type Checkpoint, moveCheckpoint } from './checkpoints.queries.ts'

/**
 * Adds changes to the balances and moves the checkpoint in one transaction.
 * @returns false, and changes nothing, if another run has moved the checkpoint
 */
export async function applyChanges(
  kysely: Kysely<DB>,
  credentialId: string,
  changes: ReadonlyMap<string, bigint>,
  previous: Checkpoint | undefined,
  next: Checkpoint,
): Promise<boolean> {
  const moved = [...changes].filter(([, change]) => change !== 0n)
  const addresses = moved.map(([address]) => address)
  return kysely.transaction().execute(async (trx) => {
    if (!(await moveCheckpoint(trx, credentialId, previous, next))) return false
    await sql`
      INSERT INTO chain_balances AS b (credential_id, address, balance)
      SELECT ${credentialId}::bigint, address, change
      FROM unnest(${addresses}::text[], ${moved.map(([, change]) => String(change))}::numeric[]) AS c (address, change)
      ON CONFLICT (credential_id, address) DO UPDATE SET balance = b.balance + excluded.balance`.execute(trx)
    await sql`
      DELETE FROM chain_balances
      WHERE credential_id = ${credentialId} AND address = ANY (${addresses}::text[]) AND balance = 0`.execute(trx)
    return true
  })
}

export async function hasNegativeBalance(kysely: Kysely<DB>, credentialId: string): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM chain_balances WHERE credential_id = ${credentialId} AND balance < 0 LIMIT 1`.execute(kysely)
  return rows.length > 0
}

/** Addresses with at least `minimum`, in order, after `after`. */
export async function readBalances(
  kysely: Kysely<DB>,
  credentialId: string,
  minimum: string,
  after: string,
  limit: number,
): Promise<string[]> {
  const { rows } = await sql<{ address: string }>`
    SELECT address FROM chain_balances
    WHERE credential_id = ${credentialId} AND address > ${after} AND balance >= ${minimum}::numeric
    ORDER BY address LIMIT ${limit}`.execute(kysely)
  return rows.map(({ address }) => address)
}

/** Holders on the current list of a credential, in order, after `after`. */
export async function readHolders(
  kysely: Kysely<DB>,
  credentialId: string,
  after: string,
  limit: number,
): Promise<string[]> {
  const { rows } = await sql<{ address: string }>`
    SELECT address FROM credential_holders
    WHERE credential_id = ${credentialId} AND address > ${after}
      AND generation = (SELECT generation FROM credentials WHERE credential_id = ${credentialId})
    ORDER BY address LIMIT ${limit}`.execute(kysely)
  return rows.map(({ address }) => address)
}

/** Whether an address is on the current list of a credential. */
export async function isHolder(kysely: Kysely<DB>, credentialId: string, address: string): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM credential_holders
    WHERE credential_id = ${credentialId} AND address = ${address}
      AND generation = (SELECT generation FROM credentials WHERE credential_id = ${credentialId})`.execute(kysely)
  return rows.length > 0
}
