import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely'
import type { DB } from '../database/tables.ts'
import { type KindName, kinds } from '../ingest/kinds.ts'
import type { ObjectId, ObjectName } from './object-kinds.ts'

/** The objects that a caller can see; null means all. */
export interface Within {
  spaceIds: readonly number[] | null
  starboardIds: readonly string[] | null
  credentialIds: readonly string[] | null
}

export interface ListedObject {
  id: string
  name: string
  [field: string]: unknown
}

const objects: Record<ObjectName, RawBuilder<ListedObject>> = {
  space: sql`
    SELECT space_id::text AS id, name, description, owner_account_id AS "ownerAccountId", created_at AS "createdAt",
      lpad(space_id::text, 10, '0') AS key, space_id::text AS scope FROM spaces`,
  sprint: sql`
    SELECT space_id || '-' || sprint_id AS id, name, space_id AS "spaceId", sprint_id AS "sprintId",
      start_time AS "startTime", end_time AS "endTime",
      lpad(space_id::text, 10, '0') || '-' || lpad(sprint_id::text, 10, '0') AS key, space_id::text AS scope
    FROM sprints`,
  starboard: sql`
    SELECT starboard_id AS id, name, project_name AS "projectName", type, owner_account_id AS "ownerAccountId",
      created_at AS "createdAt", starboard_id AS key, starboard_id AS scope FROM starboards`,
  credential: sql`
    SELECT credential_id::text AS id, name, cred_type AS "credType", cred_source AS "credSource", chain,
      curator_space_id AS "curatorSpaceId", item_count AS "itemCount", sync_status AS "syncStatus",
      last_update AS "lastUpdate", owner_account_id AS "ownerAccountId",
      lpad(credential_id::text, 19, '0') AS key, credential_id::text AS scope FROM credentials`,
  quest: sql`
    SELECT quest_id AS id, name, space_id AS "spaceId", type, status, start_time AS "startTime", end_time AS "endTime",
      participants_count AS "participantsCount", is_private AS "isPrivate", created_at AS "createdAt",
      quest_id AS key, space_id::text AS scope FROM quests`,
}

function idsWithin(name: ObjectName, { spaceIds, starboardIds, credentialIds }: Within): string[] | null {
  if (name === 'starboard') return starboardIds && [...starboardIds]
  if (name === 'credential') return credentialIds && [...credentialIds]
  return spaceIds && spaceIds.map(String)
}

export interface ObjectFilter {
  within: Within
  /** The `key` of the last object of the previous page. */
  after?: string
  limit: number
  id?: string
  /** A part of the name or the whole id, ignoring case. */
  search?: string
  /** The space of sprints and quests, or the curator of credentials. */
  spaceId?: number | undefined
}

const spaceColumns: Partial<Record<ObjectName, string>> = {
  sprint: 'spaceId',
  quest: 'spaceId',
  credential: 'curatorSpaceId',
}

export async function selectObjects(
  kysely: Kysely<DB>,
  name: ObjectName,
  { within, after = '', limit, id, search = '', spaceId }: ObjectFilter,
): Promise<(ListedObject & { key: string; scope: string })[]> {
  const allowed = idsWithin(name, within)
  const { rows } = await sql<ListedObject & { key: string; scope: string }>`
    SELECT * FROM (${objects[name]}) AS o
    WHERE key COLLATE "C" > ${after} AND ${allowed === null ? sql`true` : sql`scope = ANY(${allowed}::text[])`}
      AND ${id === undefined ? sql`true` : sql`id = ${id}`}
      AND ${search === '' ? sql`true` : sql`(strpos(lower(name), lower(${search})) > 0 OR lower(id) = lower(${search}))`}
      AND ${spaceId === undefined ? sql`true` : sql`${sql.ref(spaceColumns[name] ?? 'id')} = ${spaceId}`}
    ORDER BY key COLLATE "C" LIMIT ${limit}`.execute(kysely)
  return rows
}

/** The tables with rows of an object; referring tables before referred ones. */
function contents(
  name: ObjectName,
  { text, spaceId = 0, sprintId = 0 }: ObjectId,
): [string, string, RawBuilder<unknown>][] {
  const space = sql`space_id = ${spaceId}`
  const sprint = sql`space_id = ${spaceId} AND sprint_id = ${sprintId}`
  const starboard = sql`starboard_id = ${text}`
  const credential = sql`credential_id = ${text}::bigint`
  const quest = sql`quest_id = ${text}`
  switch (name) {
    case 'space':
      return [
        ['quests', 'quests', space],
        ['pages', 'space_pages', space],
        ['team', 'space_members', space],
        ['teamInvitations', 'space_invitations', space],
        ['members', 'board_entries', space],
        ['pastMembers', 'board_past', space],
        ['bannedMembers', 'banned_entries', space],
        ['otherChanges', 'other_board_changes', space],
        ['ruleVersions', 'rule_sets', space],
        ['rules', 'space_rules', space],
        ['ruleEvents', 'rule_events', space],
        ['ruleStates', 'rule_states', space],
        ['ruleRuns', 'rule_runs', space],
        ['ruleLogRuns', 'rule_log_runs', space],
        ['ruleHolders', 'rule_holders', space],
        ['referrals', 'referrals', space],
        ['banAddresses', 'ban_addresses', space],
        ['bans', 'bans', space],
        ['ledgerEntries', 'ledger_entries', space],
        ['ledgerOpenings', 'ledger_openings', space],
        ['timedAwards', 'timed_awards', space],
        ['ledgerSeals', 'ledger_seals', space],
        ['ledgerSalts', 'ledger_salts', space],
        ['awardKeys', 'award_keys', space],
        ['rankDays', 'rank_days', space],
        ['rankDayBoards', 'rank_day_boards', space],
        ['memberDays', 'member_days', space],
        // Deleted before the counts, so that no instance creates new counts of the board.
        ['boards', 'boards', space],
        ['countedBoards', 'board_counted', space],
        ['counts', 'board_counts', space],
        ['uncountedChanges', 'board_moves', space],
        ['sprints', 'sprints', space],
        ['versionTimes', 'space_version_times', space],
        ['versions', 'space_versions', space],
      ]
    case 'sprint':
      return [
        ['members', 'board_entries', sprint],
        ['pastMembers', 'board_past', sprint],
        ['bannedMembers', 'banned_entries', sprint],
        ['otherChanges', 'other_board_changes', sprint],
        ['rankDays', 'rank_days', sprint],
        ['rankDayBoards', 'rank_day_boards', sprint],
        ['ledgerOpenings', 'ledger_openings', sprint],
        ['boards', 'boards', sprint],
        ['countedBoards', 'board_counted', sprint],
        ['counts', 'board_counts', sprint],
        ['uncountedChanges', 'board_moves', sprint],
      ]
    case 'starboard':
      return [
        // Waits for a running refresh, so that it stores no entries of a deleted starboard.
        ['refreshes', 'starboard_refreshes', starboard],
        ['pages', 'starboard_pages', starboard],
        ['links', 'starboard_links', starboard],
        ['samples', 'score_samples', starboard],
        ['rankings', 'starboard_rankings', starboard],
        // After the rankings. If a first refresh stores a ranking after this, the foreign key of the rankings rejects the deletion.
        ['entries', 'starboard_entries', starboard],
        ['places', 'starboard_places', starboard],
        ['changes', 'starboard_sample_changes', starboard],
        ['histories', 'starboard_histories', starboard],
        ['users', 'starboard_users', starboard],
      ]
    case 'credential':
      return [
        ['holders', 'credential_holders', credential],
        ['checks', 'credential_checks', credential],
        ['quizAttempts', 'quiz_attempts', credential],
        ['quizIdentityAttempts', 'quiz_identity_attempts', credential],
        ['ruleHolders', 'rule_holders', credential],
        ['lists', 'credential_generations', credential],
        ['balances', 'chain_balances', credential],
        ['checkpoints', 'chain_checkpoints', credential],
        ['logs', 'chain_logs', credential],
        ['logLists', 'chain_log_lists', credential],
        ['sources', 'credential_sources', credential],
      ]
    case 'quest':
      return [
        ['claims', 'quest_claims', quest],
        ['participants', 'quest_participants', quest],
        ['transitions', 'quest_transitions', quest],
        ['listings', 'quest_listings', quest],
        ['rewards', 'quest_rewards', quest],
        ['conditions', 'quest_conditions', quest],
        ['groups', 'quest_credential_groups', quest],
      ]
  }
}

const tables: Record<ObjectName, string> = {
  space: 'spaces',
  sprint: 'sprints',
  starboard: 'starboards',
  credential: 'credentials',
  quest: 'quests',
}

/** The number of records of each kind in an object; kinds without records are omitted. */
export async function countContents(
  kysely: Kysely<DB>,
  name: ObjectName,
  id: ObjectId,
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const [what, table, rows] of contents(name, id)) {
    const counted = await sql<{
      count: number
    }>`SELECT count(*) AS count FROM ${sql.table(table)} WHERE ${rows}`.execute(kysely)
    const count = counted.rows[0]?.count ?? 0
    if (count > 0) counts[what] = count
  }
  return counts
}

/**
 * Deletes an object with its contents. @returns the numbers of deleted rows by kind; undefined if the object does not
 * exist
 */
export async function deleteRows(
  trx: Transaction<DB>,
  name: ObjectName,
  id: ObjectId,
): Promise<Record<string, number> | undefined> {
  const counts: Record<string, number> = {}
  for (const [what, table, rows] of contents(name, id)) {
    const { numAffectedRows } = await sql`DELETE FROM ${sql.table(table)} WHERE ${rows}`.execute(trx)
    if (numAffectedRows) counts[what] = Number(numAffectedRows)
  }
  const own =
    name === 'sprint'
      ? sql`space_id = ${id.spaceId} AND sprint_id = ${id.sprintId}`
      : name === 'space'
        ? sql`space_id = ${id.spaceId}`
        : name === 'credential'
          ? sql`credential_id = ${id.text}::bigint`
          : sql`${sql.ref(`${name}_id`)} = ${id.text}`
  const deleted = await sql`DELETE FROM ${sql.table(tables[name])} WHERE ${own}`.execute(trx)
  return deleted.numAffectedRows ? counts : undefined
}

export async function questsOfSpace(trx: Kysely<DB>, spaceId: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    SELECT quest_id AS id FROM quests WHERE space_id = ${spaceId} ORDER BY quest_id FOR UPDATE`.execute(trx)
  return rows.map(({ id }) => id)
}

/** At most ten quests that require a credential. */
export async function questsRequiring(trx: Kysely<DB>, credentialId: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    SELECT DISTINCT quest_id AS id FROM quest_conditions WHERE credential_id = ${credentialId}::bigint
    ORDER BY 1 LIMIT 10`.execute(trx)
  return rows.map(({ id }) => id)
}

export async function hideQuests(trx: Kysely<DB>, questIds: readonly string[]): Promise<void> {
  await sql`UPDATE quests SET status = 'Deleted' WHERE quest_id = ANY(${questIds})`.execute(trx)
}

export async function releaseCredentials(trx: Kysely<DB>, spaceId: number): Promise<number> {
  const { numAffectedRows } = await sql`
    UPDATE credentials SET curator_space_id = NULL WHERE curator_space_id = ${spaceId}`.execute(trx)
  return Number(numAffectedRows ?? 0)
}

export async function deleteSubscriptions(trx: Kysely<DB>, subject: string): Promise<number> {
  const { numAffectedRows } = await sql`DELETE FROM webhook_subscriptions WHERE subject = ${subject}`.execute(trx)
  return Number(numAffectedRows ?? 0)
}

export async function nextVersion(trx: Kysely<DB>, spaceId: number): Promise<void> {
  await sql`UPDATE space_versions SET version = version + 1 WHERE space_id = ${spaceId}`.execute(trx)
}

const FETCH = 5_000

/** The groups of quest `t` with conditions and rewards, in the format of import files. */
const groupsOfQuest = sql`(
  SELECT coalesce(json_agg(json_build_object(
    'id', g.group_id, 'name', g.name, 'conditionRelation', g.condition_relation,
    'conditions', (SELECT coalesce(json_agg(json_build_object(
        'expression', c.expression, 'credentialId', c.credential_id::text) ORDER BY c.position), '[]')
      FROM quest_conditions c WHERE c.quest_id = g.quest_id AND c.group_id = g.group_id),
    'rewards', (SELECT coalesce(json_agg(json_build_object(
        'expression', r.expression, 'rewardType', r.reward_type, 'rewardCount', r.reward_count) ORDER BY r.position), '[]')
      FROM quest_rewards r WHERE r.quest_id = g.quest_id AND r.group_id = g.group_id)
  ) ORDER BY g.position), '[]')
  FROM quest_credential_groups g WHERE g.quest_id = t.quest_id)`

/** The columns of a record of table `t`, named as the fields of import files. */
export function recordColumns(kind: KindName): RawBuilder<unknown> {
  // Samples and links store the handle, which imports accept in upper or lower case; ids are exported as text to remain exact.
  const isHandle = (column: string) => column === 'username' && (kind === 'samples' || kind === 'links')
  const names = Object.entries(kinds[kind].fields).map(([field, { column }]) => {
    if (column === 'credential_groups') return sql`${groupsOfQuest} AS ${sql.id(field)}`
    const stored = sql.ref(`t.${isHandle(column) ? 'handle' : column}`)
    return sql`${column === 'credential_id' ? sql`${stored}::text` : stored} AS ${sql.id(field)}`
  })
  return sql.join(names)
}

/** The records of one kind of an object, with the fields of import files. */
export async function* exportRows(
  trx: Transaction<DB>,
  name: ObjectName,
  kind: KindName,
  { text, spaceId = 0, sprintId }: ObjectId,
): AsyncGenerator<Record<string, unknown>> {
  const table =
    kind === 'samples' ? 'score_samples' : kind === 'points' ? 'board_entries' : (kinds[kind].tables[0] ?? kind)
  const which =
    spaceId !== 0
      ? sql`t.space_id = ${sql.lit(spaceId)} ${sprintId === undefined ? sql`` : sql`AND t.sprint_id = ${sql.lit(sprintId)}`}`
      : sql`${sql.ref(`t.${name}_id`)} = ${sql.lit(text)}`
  const current =
    kind === 'holders'
      ? sql`AND t.generation = (SELECT generation FROM credentials WHERE credential_id = ${sql.lit(text)}::bigint)`
      : sql``
  await sql`
    DECLARE exported NO SCROLL CURSOR FOR
    SELECT ${recordColumns(kind)} FROM ${sql.table(table)} t WHERE ${which} ${current}`.execute(trx)
  for (;;) {
    const { rows } = await sql<Record<string, unknown>>`FETCH ${sql.lit(FETCH)} FROM exported`.execute(trx)
    yield* rows
    if (rows.length < FETCH) return
  }
}
