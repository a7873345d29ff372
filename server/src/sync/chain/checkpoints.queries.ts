import { type Kysely, sql } from 'kysely'
import type { DB } from '../../database/tables.ts'

/** The block up to which the logs of a contract were read. */
export interface Checkpoint {
  /** The settings that decide which data is read, as text. */
  scope: string
  block: number
  hash: string
}

export async function readCheckpoint(kysely: Kysely<DB>, credentialId: string): Promise<Checkpoint | undefined> {
  const { rows } = await sql<Checkpoint>`
    SELECT scope, block_number AS block, block_hash AS hash FROM chain_checkpoints
    WHERE credential_id = ${credentialId}`.execute(kysely)
  return rows[0]
}

/** @returns false, and changes nothing, if another run has moved the checkpoint */
export async function moveCheckpoint(
  trx: Kysely<DB>,
  credentialId: string,
  previous: Checkpoint | undefined,
  next: Checkpoint,
): Promise<boolean> {
  const { numAffectedRows } = await (
    previous
      ? sql`UPDATE chain_checkpoints SET block_number = ${next.block}, block_hash = ${next.hash}
            WHERE credential_id = ${credentialId} AND scope = ${previous.scope}
              AND block_number = ${previous.block} AND block_hash = ${previous.hash}`
      : sql`INSERT INTO chain_checkpoints (credential_id, scope, block_number, block_hash)
            VALUES (${credentialId}, ${next.scope}, ${next.block}, ${next.hash}) ON CONFLICT DO NOTHING`
  ).execute(trx)
  return numAffectedRows === 1n
}

/** Locks the checkpoint until the transaction ends. @returns false if another run has moved it */
export async function holdCheckpoint(
  trx: Kysely<DB>,
  credentialId: string,
  { scope, block, hash }: Checkpoint,
): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM chain_checkpoints
    WHERE credential_id = ${credentialId} AND scope = ${scope} AND block_number = ${block} AND block_hash = ${hash}
    FOR UPDATE`.execute(trx)
  return rows.length > 0
}

/** Deletes the data that was read from a chain, so that the next run starts at the first block. */
export async function forgetChain(kysely: Kysely<DB>, credentialId: string): Promise<void> {
  await kysely.transaction().execute(async (trx) => {
    await sql`DELETE FROM chain_checkpoints WHERE credential_id = ${credentialId}`.execute(trx)
    await sql`DELETE FROM chain_balances WHERE credential_id = ${credentialId}`.execute(trx)
  })
}
