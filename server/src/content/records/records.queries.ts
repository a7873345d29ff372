import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely'
import type { DB } from '../../database/tables.ts'
import type { ObjectId, ObjectName } from '../../objects/object-kinds.ts'
import { recordColumns } from '../../objects/objects.queries.ts'
import { countMembers } from '../../public-pages/space-pages.queries.ts'
import { type ContentKind, contentKinds, type ContentRecord } from './content-kinds.ts'

const tables: Record<ObjectName, string> = {
  space: 'spaces',
  sprint: 'sprints',
  starboard: 'starboards',
  credential: 'credentials',
  quest: 'quests',
}

function withId(name: ObjectName, { text, spaceId, sprintId }: ObjectId): RawBuilder<unknown> {
  switch (name) {
    case 'space':
      return sql`t.space_id = ${spaceId}`
    case 'sprint':
      return sql`t.space_id = ${spaceId} AND t.sprint_id = ${sprintId}`
    case 'starboard':
      return sql`t.starboard_id = ${text}`
    case 'credential':
      return sql`t.credential_id = ${text}::bigint`
    case 'quest':
      return sql`t.quest_id = ${text}`
  }
}

/** The record of an object with the fields of import files; undefined if it does not exist. */
export async function readRecord(
  kysely: Kysely<DB>,
  kind: ContentKind,
  id: ObjectId,
): Promise<ContentRecord | undefined> {
  const { rows } = await sql<ContentRecord>`
    SELECT ${recordColumns(kind.records)} FROM ${sql.table(tables[kind.name])} t
    WHERE ${withId(kind.name, id)}`.execute(kysely)
  return rows[0]
}

/** Makes concurrent changes of an object wait. */
export async function lockRecord(transaction: Transaction<DB>, kind: ContentKind, id: ObjectId): Promise<void> {
  await sql`
    SELECT FROM ${sql.table(tables[kind.name])} t WHERE ${withId(kind.name, id)} FOR NO KEY UPDATE`.execute(transaction)
}

/** The records of a kind that belong to a space, by key. */
export async function readRecordsOf(
  kysely: Kysely<DB>,
  name: 'sprint' | 'credential' | 'quest',
  spaceId: number,
): Promise<ContentRecord[]> {
  const kind = contentKinds[name]
  const column = name === 'credential' ? 'curator_space_id' : 'space_id'
  const { rows } = await sql<ContentRecord>`
    SELECT ${recordColumns(kind.records)} FROM ${sql.table(tables[name])} t
    WHERE ${sql.ref(`t.${column}`)} = ${spaceId} ORDER BY ${sql.ref(`t.${name}_id`)}`.execute(kysely)
  return rows
}

/** A credential, and facts about it that its record does not contain. */
export interface StoredCredential {
  record: ContentRecord
  itemCount: number
  ownerAccountId: string | null
  sourceKind: string | null
}

/** One statement, so that the owner and the curator space belong to the record that is shown. */
export async function readCredential(kysely: Kysely<DB>, id: ObjectId): Promise<StoredCredential | undefined> {
  const { rows } = await sql<ContentRecord & Omit<StoredCredential, 'record'>>`
    SELECT ${recordColumns('credentials')}, t.item_count AS "itemCount", t.owner_account_id AS "ownerAccountId",
      s.source->>'kind' AS "sourceKind"
    FROM credentials t LEFT JOIN credential_sources s ON s.credential_id = t.credential_id
    WHERE ${withId('credential', id)}`.execute(kysely)
  if (!rows[0]) return undefined
  const { itemCount, ownerAccountId, sourceKind, ...record } = rows[0]
  return { record, itemCount, ownerAccountId, sourceKind }
}

/** One statement, so that the owner is the owner of the record that is shown. */
export async function readStarboard(
  kysely: Kysely<DB>,
  id: ObjectId,
): Promise<{ record: ContentRecord; ownerAccountId: string | null } | undefined> {
  const { rows } = await sql<ContentRecord & { ownerAccountId: string | null }>`
    SELECT ${recordColumns('starboards')}, t.owner_account_id AS "ownerAccountId" FROM starboards t
    WHERE ${withId('starboard', id)}`.execute(kysely)
  if (!rows[0]) return undefined
  const { ownerAccountId, ...record } = rows[0]
  return { record, ownerAccountId }
}

export async function findStarboardOwner(kysely: Kysely<DB>, id: string): Promise<string | null | undefined> {
  const row = await kysely
    .selectFrom('starboards')
    .select('owner_account_id')
    .where('starboard_id', '=', id)
    .executeTakeFirst()
  return row?.owner_account_id
}

export interface SpaceFacts {
  ownerAccountId: string | null
  createdAt: Date
  slug: string | null
  /** The version of the logo; null without a logo. */
  logoVersion: string | null
}

/** Facts about a space in a list. */
interface ListedSpaceFacts extends Pick<SpaceFacts, 'slug' | 'logoVersion'> {
  /** The number of members on the overall board. */
  members: number
  /** Drafts included. */
  quests: number
}

/** The facts of several spaces, by id. Three statements, because tables of spaces, boards and quests have other placements. */
export async function readListedFacts(
  kysely: Kysely<DB>,
  spaceIds: readonly number[],
): Promise<(spaceId: number) => ListedSpaceFacts> {
  if (spaceIds.length === 0) return () => ({ slug: null, logoVersion: null, members: 0, quests: 0 })
  const [spaces, members, quests] = await Promise.all([
    kysely
      .selectFrom('spaces as s')
      .leftJoin('space_pages as p', 'p.space_id', 's.space_id')
      .select(['s.space_id', 'p.slug', 's.logo_version as logoVersion'])
      .where('s.space_id', 'in', spaceIds)
      .execute(),
    countMembers(kysely, spaceIds),
    kysely
      .selectFrom('quests')
      .select((row) => ['space_id', row.fn.countAll<number>().as('count')])
      .where('space_id', 'in', spaceIds)
      .where('status', '<>', 'Deleted')
      .groupBy('space_id')
      .execute(),
  ])
  const facts = new Map(spaces.map(({ space_id, ...fact }) => [space_id, fact]))
  const counts = new Map(quests.map((row) => [row.space_id, Number(row.count)]))
  return (spaceId) => ({
    ...(facts.get(spaceId) ?? { slug: null, logoVersion: null }),
    members: members.get(spaceId) ?? 0,
    quests: counts.get(spaceId) ?? 0,
  })
}

export async function readSpaceFacts(kysely: Kysely<DB>, spaceId: number): Promise<SpaceFacts | undefined> {
  return kysely
    .selectFrom('spaces as s')
    .leftJoin('space_pages as p', 'p.space_id', 's.space_id')
    .select([
      's.owner_account_id as ownerAccountId',
      's.created_at as createdAt',
      'p.slug',
      's.logo_version as logoVersion',
    ])
    .where('s.space_id', '=', spaceId)
    .executeTakeFirst()
}
