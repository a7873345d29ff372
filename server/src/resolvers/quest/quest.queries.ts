import { type Reader, statement } from '@questboard/pg-read-pipeline'

export interface QuestRow {
  id: string
  name: string
  type: string
  status: string
  description: string
  startTime: Date | null
  endTime: Date | null
  cap: number
  participantsCount: number
  loyaltyPoints: number
  gasType: string
  chain: string | null
  space_id: string
  space_name: string
  space_description: string | null
}

export interface VisibleQuestRow extends QuestRow {
  is_private: boolean
  owner_account_id: string | null
  next_transition_at: Date | null
}

const questColumns = `
  q.quest_id AS id, q.name, q.description, q.start_time AS "startTime", q.end_time AS "endTime", q.cap,
  q.participants_count AS "participantsCount", q.loyalty_points AS "loyaltyPoints", q.gas_type AS "gasType", q.chain,
  s.space_id::text AS space_id, s.name AS space_name, s.description AS space_description`

const questById = statement<VisibleQuestRow>(
  'quest.by-id',
  `SELECT ${questColumns}, q.type, q.status, q.is_private, q.next_transition_at, s.owner_account_id
   FROM quests q JOIN spaces s ON s.space_id = q.space_id
   WHERE q.quest_id = $1 AND q.status NOT IN ('Draft', 'Deleted')`,
)

// Drafts that are due are not visible yet, so this is a separate query.
const anyDue = statement<{ due: boolean }>(
  'quest.any-due',
  // min() reads one index entry; EXISTS would be planned as a scan.
  'SELECT coalesce(min(next_transition_at) <= $1, false) AS due FROM quests',
)

/** Empty arrays match everything. */
export interface QuestFilter {
  spaceId: number | undefined
  statuses: readonly string[]
  types: readonly string[]
}

/** The position before a page: creation in milliseconds since 1970, then id. */
export interface QuestPosition {
  createdAt: number
  id: string
}

/**
 * A quest in the version of the first page. `hidden`: the quest has become private, Draft or Deleted; use only its position,
 * for cursors.
 */
export interface ListedQuestRow extends QuestRow {
  created_at: Date
  hidden: boolean
}

// Type and status come from the listing version; other columns are current.
const listing = (spaceFilter: string) => `
  FROM quest_listings l
  WHERE l.born <= $1 AND l.died > $1 ${spaceFilter}
    AND (cardinality($2::text[]) = 0 OR l.status = ANY ($2)) AND (cardinality($3::text[]) = 0 OR l.type = ANY ($3))`

const page = (name: string, spaceFilter: string) =>
  statement<ListedQuestRow>(
    name,
    `SELECT ${questColumns}, p.type, p.status, p.created_at,
       q.is_private OR q.status IN ('Draft', 'Deleted') AS hidden
     FROM (
       SELECT l.quest_id, l.type, l.status, l.created_at ${listing(spaceFilter)}
         AND l.created_at <= $4 AND (l.created_at < $4 OR l.quest_id > $5)
       ORDER BY l.created_at DESC, l.quest_id LIMIT $6
     ) p JOIN quests q ON q.quest_id = p.quest_id JOIN spaces s ON s.space_id = q.space_id
     ORDER BY p.created_at DESC, p.quest_id`,
  )
const pageOfAll = page('quest.page', '')
const pageOfSpace = page('quest.page-of-space', 'AND l.space_id = $7')

/** A quest that has not started. `starts_at` is its start in the version of the first page. */
export interface StartingQuestRow extends ListedQuestRow {
  starts_at: Date | null
}

// The status is a literal, and the expression is that of the index.
const pageByStart = (name: string, spaceFilter: string) =>
  statement<StartingQuestRow>(
    name,
    `SELECT ${questColumns}, p.type, p.status, p.created_at, p.starts_at,
       q.is_private OR q.status IN ('Draft', 'Deleted') AS hidden
     FROM (
       SELECT l.quest_id, l.type, l.status, l.created_at, l.starts_at
       FROM quest_listings l
       WHERE l.status = 'NotStarted' AND l.born <= $1 AND l.died > $1 ${spaceFilter}
         AND (cardinality($2::text[]) = 0 OR l.type = ANY ($2))
         AND coalesce(l.starts_at, 'infinity') >= $3 AND (coalesce(l.starts_at, 'infinity') > $3 OR l.quest_id > $4)
       ORDER BY coalesce(l.starts_at, 'infinity'), l.quest_id LIMIT $5
     ) p JOIN quests q ON q.quest_id = p.quest_id JOIN spaces s ON s.space_id = q.space_id
     ORDER BY coalesce(p.starts_at, 'infinity'), p.quest_id`,
  )
const startsOfAll = pageByStart('quest.starts', '')
const startsOfSpace = pageByStart('quest.starts-of-space', 'AND l.space_id = $6')

/** The newest version of the catalogue and the number of quests that match a filter. */
export interface CatalogueRow {
  version: number
  total: number
}

// One snapshot for both; space 0 counts the quests of all spaces.
const catalogue = statement<CatalogueRow>(
  'quest.catalogue',
  `SELECT version, (
     SELECT coalesce(sum(listed), 0)::int FROM quest_counts c
     WHERE c.space_id = $1
       AND (cardinality($2::text[]) = 0 OR c.status = ANY ($2)) AND (cardinality($3::text[]) = 0 OR c.type = ANY ($3))
   ) AS total
   FROM quest_catalogue`,
)

export interface GroupRow {
  id: string
  name: string
  conditionRelation: string
}

interface CredentialKindRow {
  credSource: string
  credType: string
}

export interface ConditionRow extends CredentialKindRow {
  group_id: string
  expression: string
  credential_id: string
}

export interface RewardRow {
  group_id: string
  expression: string
  rewardType: string
  reward_count: number
}

const groupsOfQuest = statement<GroupRow>(
  'quest.groups',
  `SELECT group_id AS id, name, condition_relation AS "conditionRelation"
   FROM quest_credential_groups WHERE quest_id = $1 ORDER BY position, group_id`,
)
const conditionsOfQuest = statement<Omit<ConditionRow, keyof CredentialKindRow>>(
  'quest.conditions',
  `SELECT group_id, expression, credential_id::text FROM quest_conditions WHERE quest_id = $1
   ORDER BY group_id, position`,
)
// A separate statement, because credentials are not distributed with the quests.
const kindOfCredential = statement<CredentialKindRow>(
  'quest.credential-kind',
  'SELECT cred_source AS "credSource", cred_type AS "credType" FROM credentials WHERE credential_id = $1',
)
const rewardsOfQuest = statement<RewardRow>(
  'quest.rewards',
  `SELECT group_id, expression, reward_type AS "rewardType", reward_count
   FROM quest_rewards WHERE quest_id = $1 ORDER BY group_id, position`,
)
export async function findQuest(reader: Reader, id: string): Promise<VisibleQuestRow | undefined> {
  return (await reader.read(questById, [id]))[0]
}

/** Whether any quest has a transition that is due. */
export async function isTransitionDue(reader: Reader, now: Date): Promise<boolean> {
  return (await reader.read(anyDue, [now]))[0]?.due ?? false
}

export async function readCatalogue(reader: Reader, filter: QuestFilter): Promise<CatalogueRow> {
  const [row] = await reader.read(catalogue, [filter.spaceId ?? 0, filter.statuses, filter.types])
  if (!row) throw new Error('the row of quest_catalogue is missing')
  return row
}

/** Listed quests after a position, newest first. */
export async function readListed(
  reader: Reader,
  version: number,
  filter: QuestFilter,
  after: QuestPosition | undefined,
  limit: number,
): Promise<ListedQuestRow[]> {
  const createdAt = after ? new Date(after.createdAt) : 'infinity'
  const values = [version, filter.statuses, filter.types, createdAt, after?.id ?? '', limit]
  return filter.spaceId === undefined
    ? reader.read(pageOfAll, values)
    : reader.read(pageOfSpace, [...values, filter.spaceId])
}

/** The position before a page of starts: milliseconds since 1970, null for quests without a start; then id. */
export interface StartPosition {
  startsAt: number | null
  id: string
}

/** Listed quests that have not started after a position, by their start. */
export async function readStarting(
  reader: Reader,
  version: number,
  { spaceId, types }: QuestFilter,
  after: StartPosition | undefined,
  limit: number,
): Promise<StartingQuestRow[]> {
  const startsAt = after ? (after.startsAt === null ? 'infinity' : new Date(after.startsAt)) : '-infinity'
  const values = [version, types, startsAt, after?.id ?? '', limit]
  return spaceId === undefined ? reader.read(startsOfAll, values) : reader.read(startsOfSpace, [...values, spaceId])
}

export async function readGroups(
  reader: Reader,
  questId: string,
): Promise<{ groups: GroupRow[]; conditions: ConditionRow[]; rewards: RewardRow[] }> {
  const [groups, conditions, rewards] = await Promise.all([
    reader.read(groupsOfQuest, [questId]),
    readConditions(reader, questId),
    reader.read(rewardsOfQuest, [questId]),
  ])
  return { groups, conditions, rewards }
}

async function readConditions(reader: Reader, questId: string): Promise<ConditionRow[]> {
  const conditions = await reader.read(conditionsOfQuest, [questId])
  const ids = [...new Set(conditions.map(({ credential_id }) => credential_id))]
  const kinds = new Map(
    await Promise.all(ids.map(async (id) => [id, (await reader.readShared(kindOfCredential, [id]))[0]] as const)),
  )
  return conditions.flatMap((condition) => {
    const kind = kinds.get(condition.credential_id)
    return kind ? [{ ...condition, ...kind }] : []
  })
}
