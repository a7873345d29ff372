import { type Kysely, sql } from 'kysely'
import type { DB } from '../database/tables.ts'
import { accountMay } from '../teams/roles.queries.ts'

interface FoundIds {
  /** Whether the account is an operator. */
  operator: boolean
  spaceIds: readonly number[]
  credentialIds: readonly string[]
  starboardIds: readonly string[]
}

export interface Editable {
  space: (id: number) => boolean
  credential: (id: string) => boolean
  starboard: (id: string) => boolean
}

/** What an account may edit of a search's results: operators everything, teams what is in their spaces, owners what they own. */
export async function findEditable(
  kysely: Kysely<DB>,
  accountId: string,
  { operator, spaceIds, credentialIds, starboardIds }: FoundIds,
): Promise<Editable> {
  if (operator) return { space: () => true, credential: () => true, starboard: () => true }
  const [credentials, starboards] = await Promise.all([
    readCurators(kysely, accountId, credentialIds),
    findOwnStarboards(kysely, accountId, starboardIds),
  ])
  const curators = credentials.flatMap(({ spaceId }) => spaceId ?? [])
  const spaces = await findEditableSpaces(kysely, accountId, [...new Set([...spaceIds, ...curators])])
  const mayEdit = credentials.filter(({ spaceId, isOwn }) => isOwn || (spaceId !== null && spaces.has(spaceId)))
  const ids = new Set(mayEdit.map(({ id }) => id))
  return { space: (id) => spaces.has(id), credential: (id) => ids.has(id), starboard: (id) => starboards.has(id) }
}

async function readCurators(kysely: Kysely<DB>, accountId: string, ids: readonly string[]) {
  if (ids.length === 0) return []
  const { rows } = await sql<{ id: string; spaceId: number | null; isOwn: boolean }>`
    SELECT credential_id::text AS id, curator_space_id AS "spaceId",
           owner_account_id IS NOT DISTINCT FROM ${accountId}::uuid AS "isOwn"
    FROM credentials WHERE credential_id = ANY(${ids}::bigint[])`.execute(kysely)
  return rows
}

async function findOwnStarboards(kysely: Kysely<DB>, accountId: string, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const { rows } = await sql<{ id: string }>`
    SELECT starboard_id AS id FROM starboards
    WHERE starboard_id = ANY(${ids}::text[]) AND owner_account_id = ${accountId}::uuid`.execute(kysely)
  return new Set(rows.map(({ id }) => id))
}

async function findEditableSpaces(kysely: Kysely<DB>, accountId: string, ids: readonly number[]): Promise<Set<number>> {
  if (ids.length === 0) return new Set()
  const { rows } = await sql<{ id: number }>`
    SELECT space_id AS id FROM spaces
    WHERE space_id = ANY(${ids}::int[]) AND ${accountMay('edit', 'spaces', sql`${accountId}::uuid`)}`.execute(kysely)
  return new Set(rows.map(({ id }) => id))
}
