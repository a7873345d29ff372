import { type Kysely, sql } from 'kysely'
import type { DB } from '../database/tables.ts'
import { STAGED } from './staging.queries.ts'

/** The COPY target for lists that are filled without staging. */
export const HOLDERS = 'credential_holders (credential_id, generation, address)'

/** A holder list that is being filled while the current list remains in use. */
export interface Claim {
  credentialId: string
  generation: number
}

/** The progress of a replacement. */
export interface Progress {
  /** SHA-256 of the file, by which the replacement is resumed; null if it cannot be. */
  source: Buffer | null
  /** The number of stored chunks of the file. */
  chunks: number
  /** Incremented when another run resumes the replacement; older runs then stop. */
  takeovers: number
}

const claimRows = (claims: readonly Claim[]) => sql`
  unnest(${claims.map((claim) => claim.credentialId)}::bigint[], ${claims.map((claim) => claim.generation)}::int[])
    AS claim (credential_id, generation)`

export async function lockCredentials(trx: Kysely<DB>, ids: readonly string[]): Promise<void> {
  // Rows are locked in one order, to avoid deadlocks. One statement per credential, because a cluster locks rows on one
  // node only.
  for (const id of ids.toSorted((a, b) => Number(BigInt(a) - BigInt(b))))
    await sql`SELECT FROM credentials WHERE credential_id = ${id}::bigint FOR NO KEY UPDATE`.execute(trx)
}

/** Creates the next list of each credential and sets the credential's status to SYNCING. */
export async function claimGenerations(
  trx: Kysely<DB>,
  ids: readonly string[],
  now: Date,
  { source = null, chunks = 0, takeovers = 0 }: Partial<Progress> = {},
): Promise<Claim[]> {
  await lockCredentials(trx, ids)
  const { rows } = await sql<Claim>`
    INSERT INTO credential_generations
      (credential_id, generation, state, sync_status_before, touched_at, source, chunks, takeovers)
    SELECT credential_id, greatest(generation, (
      SELECT max(generation) FROM credential_generations g WHERE g.credential_id = c.credential_id)) + 1,
      'filling', sync_status, ${now}, ${source}::bytea, ${chunks}::int, ${takeovers}::int
    FROM credentials c WHERE credential_id = ANY(${ids}::bigint[]) ORDER BY credential_id
    RETURNING credential_id::text AS "credentialId", generation`.execute(trx)
  await sql`UPDATE credentials SET sync_status = 'SYNCING' WHERE credential_id = ANY(${ids}::bigint[])`.execute(trx)
  return rows
}

/** Keeps the claims alive. Returns how many are still owned: claims may have ended or been taken over. */
export async function touchClaims(
  trx: Kysely<DB>,
  claims: readonly Claim[],
  last: Date,
  now: Date,
  takeovers = 0,
): Promise<number> {
  const { numAffectedRows } = await sql`
    UPDATE credential_generations g SET touched_at = ${now} FROM ${claimRows(claims)}
    WHERE g.credential_id = claim.credential_id AND g.generation = claim.generation
      AND g.state = 'filling' AND g.touched_at = ${last} AND g.takeovers = ${takeovers}`.execute(trx)
  return Number(numAffectedRows ?? 0)
}

/** Takes over the claims of an interrupted run with this file. Returns none if they are inconsistent. */
export async function takeOverClaims(
  trx: Kysely<DB>,
  source: Buffer,
  now: Date,
): Promise<{ claims: (Claim & { count: number })[]; chunks: number; takeovers: number } | undefined> {
  const { rows } = await sql<Claim & { count: number; chunks: number; takeovers: number }>`
    UPDATE credential_generations SET touched_at = ${now}, takeovers = takeovers + 1
    WHERE source = ${source} AND state = 'filling'
    RETURNING credential_id::text AS "credentialId", generation, holders AS count, chunks, takeovers`.execute(trx)
  const [first] = rows
  const agree = rows.every(({ chunks, takeovers }) => chunks === first?.chunks && takeovers === first.takeovers)
  return first && agree ? { claims: rows, chunks: first.chunks, takeovers: first.takeovers } : undefined
}

/** Records a stored chunk in the same transaction. Returns how many claims are still owned by this run. */
export async function noteChunk(
  trx: Kysely<DB>,
  claims: readonly (Claim & { count: number })[],
  { chunks, takeovers }: Progress,
): Promise<number> {
  const { numAffectedRows } = await sql`
    UPDATE credential_generations g SET chunks = ${chunks}, holders = claim.count
    FROM unnest(${claims.map((claim) => claim.credentialId)}::bigint[], ${claims.map((claim) => claim.generation)}::int[],
      ${claims.map((claim) => claim.count)}::int[]) AS claim (credential_id, generation, count)
    WHERE g.credential_id = claim.credential_id AND g.generation = claim.generation
      AND g.state = 'filling' AND g.takeovers = ${takeovers}`.execute(trx)
  return Number(numAffectedRows ?? 0)
}

/** The number of holders that a list gained. */
export interface Filled {
  credentialId: string
  count: number
}

/** Inserts the staged holders into the claimed lists. Existing holders are ignored. */
export async function fillClaims(trx: Kysely<DB>, claims: readonly Claim[]): Promise<Filled[]> {
  const { rows } = await sql<Filled>`
    WITH filled AS (
      INSERT INTO credential_holders (credential_id, generation, address)
      SELECT DISTINCT s.credential_id, claim.generation, s.address
      FROM ${STAGED} s JOIN ${claimRows(claims)} ON claim.credential_id = s.credential_id
      ORDER BY 1, 2, 3
      ON CONFLICT DO NOTHING RETURNING credential_id
    )
    SELECT credential_id::text AS "credentialId", count(*) AS count FROM filled GROUP BY credential_id`.execute(trx)
  return rows
}

/** The number of holders in the current lists, and in both the claimed and the current lists. */
export async function countKept(
  kysely: Kysely<DB>,
  claims: readonly Claim[],
): Promise<{ former: number; kept: number }> {
  let former = 0
  let kept = 0
  // One statement per credential, so that a cluster reads from one node.
  for (const { credentialId, generation } of claims) {
    const { rows } = await sql<{ kept: number }>`
      SELECT count(*) AS kept FROM credential_holders o JOIN credential_holders n
        ON n.credential_id = o.credential_id AND n.address = o.address
      WHERE o.credential_id = ${credentialId} AND n.credential_id = ${credentialId} AND n.generation = ${generation}
        AND o.generation = (SELECT generation FROM credentials WHERE credential_id = ${credentialId})`.execute(kysely)
    kept += rows[0]?.kept ?? 0
    const sizes = await sql<{ size: number }>`
      SELECT item_count AS size FROM credentials WHERE credential_id = ${credentialId}`.execute(kysely)
    former += sizes.rows[0]?.size ?? 0
  }
  return { former, kept }
}

/** Makes the claimed lists current and sets their sizes. The sweeper deletes the previous lists. */
export async function publishClaims(
  trx: Kysely<DB>,
  claims: readonly (Claim & { count: number })[],
  now: Date,
): Promise<void> {
  const ids = claims.map((claim) => claim.credentialId)
  await lockCredentials(trx, ids)
  await sql`
    INSERT INTO credential_generations (credential_id, generation, state, sync_status_before, touched_at)
    SELECT credential_id, generation, 'dead', 'SYNCED', ${now} FROM credentials
    WHERE credential_id = ANY(${ids}::bigint[]) ORDER BY credential_id`.execute(trx)
  await sql`
    UPDATE credentials c SET generation = claim.generation, item_count = claim.count, sync_status = 'SYNCED',
      last_sync = ${now}, last_update = ${now}
    FROM unnest(${ids}::bigint[], ${claims.map((claim) => claim.generation)}::int[],
      ${claims.map((claim) => claim.count)}::int[]) AS claim (credential_id, generation, count)
    WHERE c.credential_id = claim.credential_id`.execute(trx)
  await sql`
    DELETE FROM credential_generations g USING ${claimRows(claims)}
    WHERE g.credential_id = claim.credential_id AND g.generation = claim.generation`.execute(trx)
}

/**
 * Ends claims unless another run has taken them over. The sweeper deletes their lists; the credentials get their
 * previous status.
 */
export async function giveUpClaims(trx: Kysely<DB>, claims: readonly Claim[], takeovers?: number): Promise<void> {
  await lockCredentials(
    trx,
    claims.map((claim) => claim.credentialId),
  )
  await sql`
    WITH given_up AS (
      UPDATE credential_generations g SET state = 'dead' FROM ${claimRows(claims)}
      WHERE g.credential_id = claim.credential_id AND g.generation = claim.generation AND g.state = 'filling'
        AND g.takeovers = coalesce(${takeovers ?? null}::int, g.takeovers)
      RETURNING g.*
    )
    UPDATE credentials c SET sync_status = given_up.sync_status_before FROM given_up
    WHERE c.credential_id = given_up.credential_id AND NOT EXISTS (
      SELECT FROM credential_generations g
      WHERE g.credential_id = c.credential_id AND g.generation <> given_up.generation AND g.state = 'filling'
    )`.execute(trx)
}

export async function abandonedClaims(kysely: Kysely<DB>, before: Date): Promise<Claim[]> {
  const { rows } = await sql<Claim>`
    SELECT credential_id::text AS "credentialId", generation FROM credential_generations
    WHERE state = 'filling' AND touched_at < ${before} ORDER BY credential_id, generation`.execute(kysely)
  return rows
}

export async function deadGenerations(kysely: Kysely<DB>): Promise<Claim[]> {
  const { rows } = await sql<Claim>`
    SELECT credential_id::text AS "credentialId", generation FROM credential_generations
    WHERE state = 'dead' ORDER BY credential_id, generation`.execute(kysely)
  return rows
}

/**
 * Deletes some holders of a list in the order of their addresses, after the last deleted address, so that deleted rows
 * are not scanned again.
 */
export async function deleteHolders(
  kysely: Kysely<DB>,
  list: Claim,
  after: string,
  limit: number,
): Promise<{ deleted: number; last: string | null }> {
  const { rows } = await sql<{ deleted: number; last: string | null }>`
    WITH gone AS (
      DELETE FROM credential_holders WHERE credential_id = ${list.credentialId} AND ctid = ANY (ARRAY(
        SELECT ctid FROM credential_holders
        WHERE credential_id = ${list.credentialId} AND generation = ${list.generation} AND address > ${after}
        ORDER BY address LIMIT ${limit} FOR UPDATE SKIP LOCKED))
      RETURNING address
    )
    SELECT count(*) AS deleted, max(address) AS last FROM gone`.execute(kysely)
  return rows[0] ?? { deleted: 0, last: null }
}

/** Deletes the record of a dead list that has no holders left. */
export async function forgetGeneration(kysely: Kysely<DB>, list: Claim): Promise<void> {
  await sql`
    DELETE FROM credential_generations
    WHERE credential_id = ${list.credentialId} AND generation = ${list.generation} AND state = 'dead'
      AND NOT EXISTS (
        SELECT FROM credential_holders
        WHERE credential_id = ${list.credentialId} AND generation = ${list.generation})`.execute(kysely)
}
