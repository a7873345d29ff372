import { type Kysely, sql } from 'kysely'
import { type Reader, statement } from '@questboard/pg-read-pipeline'
import type { DB } from '../database/tables.ts'

export interface CheckState {
  /** The source as JSON text. */
  source: string
  /** Milliseconds since 1970; null if the source has not asked for a pause. */
  paused_until: number | null
  /** The last stored check of the holder; null if no check is stored. */
  held: boolean | null
  checked_at: number | null
}

const checkState = statement<CheckState>(
  'sync.check-state',
  `SELECT s.source::text AS source, floor(date_part('epoch', s.checks_paused_until) * 1000)::float8 AS paused_until,
     c.held, floor(date_part('epoch', c.checked_at) * 1000)::float8 AS checked_at
   FROM credential_sources s LEFT JOIN credential_checks c ON c.credential_id = $1 AND c.holder = $2
   WHERE s.credential_id = $1`,
)

export async function readCheckState(
  reader: Reader,
  credentialId: string,
  holder: string,
): Promise<CheckState | undefined> {
  return (await reader.read(checkState, [credentialId, holder]))[0]
}

const namesOfKind = statement<{ name: string }>(
  'sync.names-of-kind',
  `SELECT DISTINCT linked.name
   FROM linked_names own JOIN linked_names linked ON linked.account_id = own.account_id AND linked.kind = $2
   WHERE own.name = $1 AND (own.kind = $2 OR own.kind NOT IN ('Twitter', 'Discord', 'Github', 'Telegram'))
   ORDER BY linked.name LIMIT 10`,
)

/** The identities of a kind on the account of an address. They are proved, and the user lets them count. */
export async function readNamesOfKind(reader: Reader, address: string, kind: string): Promise<string[]> {
  return (await reader.read(namesOfKind, [address, kind])).map(({ name }) => name)
}

/** Records that a source asked for a pause. */
export async function pauseChecks(kysely: Kysely<DB>, credentialId: string, until: Date): Promise<void> {
  await sql`
    UPDATE credential_sources SET checks_paused_until = ${until} WHERE credential_id = ${credentialId}`.execute(kysely)
}

/** Deletes the checks of a credential whose source changes. */
export async function forgetChecks(kysely: Kysely<DB>, credentialId: string): Promise<void> {
  await sql`DELETE FROM credential_checks WHERE credential_id = ${credentialId}`.execute(kysely)
}

/**
 * Applies the checks since the start of a run to the list that the run has filled: the run may have read the source
 * before the check. @returns the change of the number of holders
 */
export async function applyChecksSince(
  trx: Kysely<DB>,
  list: { credentialId: string; generation: number },
  since: Date,
): Promise<number> {
  const { credentialId, generation } = list
  const added = await sql`
    INSERT INTO credential_holders (credential_id, generation, address)
    SELECT credential_id, ${generation}::int, holder FROM credential_checks
    WHERE credential_id = ${credentialId} AND checked_at >= ${since} AND held ORDER BY holder
    ON CONFLICT DO NOTHING`.execute(trx)
  const removed = await sql`
    DELETE FROM credential_holders h USING credential_checks c
    WHERE h.credential_id = ${credentialId} AND h.generation = ${generation}
      AND c.credential_id = ${credentialId} AND c.holder = h.address AND c.checked_at >= ${since} AND NOT c.held
  `.execute(trx)
  return Number(added.numAffectedRows ?? 0) - Number(removed.numAffectedRows ?? 0)
}

export interface CheckedHolder {
  credentialId: string
  holder: string
  held: boolean
  at: Date
}

/** Serializes the changes of a list. */
export async function lockCredential(trx: Kysely<DB>, credentialId: string): Promise<void> {
  await sql`SELECT FROM credentials WHERE credential_id = ${credentialId} FOR NO KEY UPDATE`.execute(trx)
}

/** Stores the result of a check. @returns false if a newer result is stored */
export async function storeCheck(trx: Kysely<DB>, { credentialId, holder, held, at }: CheckedHolder): Promise<boolean> {
  const { numAffectedRows } = await sql`
    INSERT INTO credential_checks AS c (credential_id, holder, held, checked_at)
    VALUES (${credentialId}, ${holder}, ${held}, ${at})
    ON CONFLICT (credential_id, holder) DO UPDATE SET held = excluded.held, checked_at = excluded.checked_at
    WHERE c.checked_at <= excluded.checked_at`.execute(trx)
  return numAffectedRows === 1n
}

/** Adds a holder to the list of a locked credential, or removes it. @returns whether the list changed */
export async function changeHolder(
  trx: Kysely<DB>,
  { credentialId, holder, held, at }: CheckedHolder,
): Promise<boolean> {
  const { rows } = await sql<{ generation: number }>`
    SELECT generation FROM credentials WHERE credential_id = ${credentialId}`.execute(trx)
  const generation = rows[0]?.generation
  if (generation === undefined) return false
  const { numAffectedRows } = held
    ? await sql`
        INSERT INTO credential_holders (credential_id, generation, address)
        VALUES (${credentialId}, ${generation}, ${holder}) ON CONFLICT DO NOTHING`.execute(trx)
    : await sql`
        DELETE FROM credential_holders
        WHERE credential_id = ${credentialId} AND generation = ${generation} AND address = ${holder}`.execute(trx)
  if (numAffectedRows !== 1n) return false
  await sql`
    UPDATE credentials SET item_count = item_count + ${held ? 1 : -1}, last_update = ${at}
    WHERE credential_id = ${credentialId}`.execute(trx)
  return true
}
