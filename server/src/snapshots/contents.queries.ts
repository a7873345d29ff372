import { type Kysely, sql, type Transaction } from 'kysely'
import type { DB } from '../database/tables.ts'
import type { BucketStore } from './bucket-sort.ts'
import { NODE_BYTES, type NodeStore, NODES_PER_CHUNK } from './tree.ts'

/** Creates the table of full buckets. PostgreSQL drops it at the end of the transaction. */
export async function createBuckets(trx: Transaction<DB>): Promise<BucketStore> {
  await sql`
    CREATE TEMPORARY TABLE snapshot_buckets (sort smallint, bucket smallint, records bytea) ON COMMIT DROP`.execute(trx)
  await sql`ALTER TABLE snapshot_buckets ALTER COLUMN records SET STORAGE EXTERNAL`.execute(trx)
  return {
    async put(sort, bucket, records) {
      await sql`INSERT INTO snapshot_buckets VALUES (${sort}, ${bucket}, ${records})`.execute(trx)
    },
    async get(sort, bucket) {
      const { rows } = await sql<{ records: Buffer }>`
        SELECT records FROM snapshot_buckets WHERE sort = ${sort} AND bucket = ${bucket}`.execute(trx)
      return rows.map(({ records }) => records)
    },
  }
}

export function nodeStore(trx: Transaction<DB>, snapshotId: string): NodeStore {
  return {
    async put(chunk, nodes) {
      await sql`INSERT INTO snapshot_nodes VALUES (${snapshotId}, ${chunk}, ${nodes})`.execute(trx)
    },
    async get(chunk) {
      const { rows } = await sql<{ nodes: Buffer }>`
        SELECT nodes FROM snapshot_nodes WHERE snapshot_id = ${snapshotId} AND chunk = ${chunk}`.execute(trx)
      if (!rows[0]) throw new Error(`the snapshot ${snapshotId} has no nodes ${chunk}`)
      return rows[0].nodes
    },
  }
}

export async function insertEntries(
  trx: Transaction<DB>,
  snapshotId: string,
  chunk: number,
  firstRank: number,
  entries: Buffer,
): Promise<void> {
  await sql`INSERT INTO snapshot_entries VALUES (${snapshotId}, ${chunk}, ${firstRank}, ${entries})`.execute(trx)
}

export async function insertPlaces(
  trx: Transaction<DB>,
  snapshotId: string,
  chunk: number,
  places: Buffer,
): Promise<void> {
  await sql`INSERT INTO snapshot_places VALUES (${snapshotId}, ${chunk}, ${places})`.execute(trx)
}

export interface EntryChunk {
  chunk: number
  firstRank: number
  entries: Buffer
}

/** At most `limit` chunks of the list, from the chunk `from`. */
export async function readEntryChunks(
  kysely: Kysely<DB>,
  snapshotId: string,
  from: number,
  limit: number,
): Promise<EntryChunk[]> {
  const { rows } = await sql<EntryChunk>`
    SELECT chunk, first_rank AS "firstRank", entries FROM snapshot_entries
    WHERE snapshot_id = ${snapshotId} AND chunk >= ${from} ORDER BY chunk LIMIT ${limit}`.execute(kysely)
  return rows
}

export async function readPlaces(kysely: Kysely<DB>, snapshotId: string, chunk: number): Promise<Buffer | undefined> {
  const { rows } = await sql<{ places: Buffer }>`
    SELECT places FROM snapshot_places WHERE snapshot_id = ${snapshotId} AND chunk = ${chunk}`.execute(kysely)
  return rows[0]?.places
}

/** The nodes with the given numbers, in this order. Reads only their bytes. */
export async function readNodes(kysely: Kysely<DB>, snapshotId: string, nodes: readonly number[]): Promise<Buffer[]> {
  const chunks = nodes.map((node) => Math.floor(node / NODES_PER_CHUNK))
  const starts = nodes.map((node) => (node % NODES_PER_CHUNK) * NODE_BYTES + 1)
  const { rows } = await sql<{ node: Buffer }>`
    SELECT substring(n.nodes FROM a.start FOR ${sql.lit(NODE_BYTES)}) AS node
    FROM unnest(${chunks}::int[], ${starts}::int[]) WITH ORDINALITY AS a (chunk, start, place)
    JOIN snapshot_nodes n ON n.snapshot_id = ${snapshotId} AND n.chunk = a.chunk ORDER BY a.place`.execute(kysely)
  return rows.map(({ node }) => node)
}

const CONTENTS = ['snapshot_entries', 'snapshot_places', 'snapshot_nodes'] as const

export async function deleteContents(trx: Kysely<DB>, snapshotId: string): Promise<void> {
  for (const table of CONTENTS)
    await sql`DELETE FROM ${sql.table(table)} WHERE snapshot_id = ${snapshotId}`.execute(trx)
}

/** Returns the space of rows that were rolled back or deleted to the disk. */
export async function releaseSpace(kysely: Kysely<DB>): Promise<void> {
  for (const table of CONTENTS) await sql`VACUUM ${sql.table(table)}`.execute(kysely)
}
