import type { Kysely } from 'kysely'
import { numberArray, type Reader, statement, textArray } from '@questboard/pg-read-pipeline'
import type { Database } from '../database/connection.ts'
import { RowLocked } from '../database/group-commit.ts'
import { preparedWrite } from '../database/prepared-write.ts'
import { LOCK_NOT_AVAILABLE } from '../database/sql-states.ts'
import type { DB } from '../database/tables.ts'
import type { QuestStatus } from '../resolvers/quest/quest-status.ts'
import { DURABLE } from '../ranking/boards.queries.ts'
import { RUNNING_SPRINT } from '../ranking/running-sprint.queries.ts'
import { RULES_NEED_CLAIMS } from '../ranking/rule-events.queries.ts'

export interface LockedQuest {
  quest_id: string
  space_id: number
  name: string
  status: QuestStatus
  auto_status: boolean
  start_time: Date | null
  end_time: Date | null
  cap: number
  participants_count: number
  loyalty_points: number
}

const lock = preparedWrite<LockedQuest & Record<string, unknown>>(
  'claims.lock-quest',
  `SELECT quest_id, space_id, name, status, auto_status, start_time, end_time, cap, participants_count, loyalty_points,
     ${DURABLE}
   FROM quests WHERE quest_id = $1 FOR NO KEY UPDATE`,
)

/** Locks a quest, so that its claims are serialized. The commit waits for the disk. @throws RowLocked */
export async function lockQuest(trx: Kysely<DB>, questId: string): Promise<LockedQuest | undefined> {
  try {
    return (await lock(trx, [questId]))[0]
  } catch (error) {
    throw (error as { code?: unknown }).code === LOCK_NOT_AVAILABLE ? new RowLocked(questId, error) : error
  }
}

const questSpace = statement<{ space_id: number }>(
  'claims.quest-space',
  'SELECT space_id FROM quests WHERE quest_id = $1',
  undefined,
)

/** The space of a quest; undefined if the quest does not exist. */
export async function findQuestSpace(reader: Reader, questId: string): Promise<number | undefined> {
  return (await reader.readShared(questSpace, [questId]))[0]?.space_id
}

export interface ConditionRow {
  quest_id: string
  group_id: string
  group_name: string
  relation: string
  expression: string | null
  credential_id: string
  cred_type: string
  cred_source: string
  synced: boolean
}

type QuestConditionRow = Pick<
  ConditionRow,
  'quest_id' | 'group_id' | 'group_name' | 'relation' | 'expression' | 'credential_id'
>
type CredentialRow = Pick<ConditionRow, 'cred_type' | 'cred_source' | 'synced'>

// Two statements, because quests and credentials have different distribution keys.
const conditionsWhere = (ofQuests: string) => `
  SELECT g.quest_id, g.group_id, g.name AS group_name, g.condition_relation AS relation, c.expression, c.credential_id::text
  FROM quest_credential_groups g
  LEFT JOIN quest_conditions c ON c.quest_id = g.quest_id AND c.group_id = g.group_id
  WHERE g.quest_id ${ofQuests} ORDER BY g.position, g.group_id, c.position`
const CREDENTIAL = `
  SELECT cred_type, cred_source, sync_status = 'SYNCED' AS synced FROM credentials WHERE credential_id = $1`

const lockedConditions = preparedWrite<QuestConditionRow>('claims.conditions', conditionsWhere('= ANY($1::text[])'))
const lockedCredential = preparedWrite<CredentialRow>('claims.credential', CREDENTIAL)
const conditions = statement<QuestConditionRow>('claims.read-conditions', conditionsWhere('= $1'), undefined)
const credential = statement<CredentialRow>('claims.read-credential', CREDENTIAL, undefined)

/** Adds the credentials to conditions. A group without conditions has one row without a credential. */
async function withCredentials(
  rows: readonly QuestConditionRow[],
  readAll: (ids: readonly string[]) => Promise<readonly (Readonly<CredentialRow> | undefined)[]>,
): Promise<ConditionRow[]> {
  const ids = [...new Set(rows.flatMap((row) => (row.credential_id as string | null) ?? []))]
  const found = await readAll(ids)
  return rows.map((row) => ({ ...row, ...(found[ids.indexOf(row.credential_id)] as CredentialRow) }))
}

/** The conditions of locked quests. */
export async function conditionsOfLocked(trx: Kysely<DB>, questIds: readonly string[]): Promise<ConditionRow[]> {
  return withCredentials(await lockedConditions(trx, [textArray(questIds)]), async (ids) => {
    const found: (CredentialRow | undefined)[] = []
    // One after the other, because a transaction has one connection.
    for (const id of ids) found.push((await lockedCredential(trx, [id]))[0])
    return found
  })
}

export async function readConditions(reader: Reader, questId: string): Promise<ConditionRow[]> {
  return withCredentials(await reader.readShared(conditions, [questId]), (ids) =>
    Promise.all(ids.map(async (id) => (await reader.readShared(credential, [id]))[0])),
  )
}

// Not from linked_names, which holds only the identities that the user lets count for eligibility. One statement per
// table, because the tables have different distribution keys.
const owners = ['identity_subjects WHERE subject', 'identity_aliases WHERE alias'].map((where, i) =>
  preparedWrite<{ account_id: string }>(
    `claims.owners-${i}`,
    `SELECT account_id FROM ${where} = ANY($1::text[]) AND kind LIKE '%Address'`,
  ),
)
const names = ['subject AS name, account_id FROM identities', 'alias AS name, account_id FROM identity_aliases'].map(
  (columns, i) =>
    preparedWrite<{ name: string; account_id: string }>(
      `claims.names-${i}`,
      `SELECT ${columns} WHERE account_id = ANY($1::uuid[]) AND kind LIKE '%Address'`,
    ),
)

/** All addresses of the given accounts, and of the accounts of the given addresses. */
export async function accountsOf(
  trx: Kysely<DB>,
  addresses: readonly string[],
  accountIds: readonly string[],
): Promise<{ name: string; account_id: string }[]> {
  const found = new Set(accountIds)
  for (const read of owners) for (const row of await read(trx, [textArray(addresses)])) found.add(row.account_id)
  if (found.size === 0) return []
  const linked = new Map<string, { name: string; account_id: string }>()
  for (const read of names)
    for (const row of await read(trx, [textArray([...found])])) linked.set(`${row.account_id} ${row.name}`, row)
  return [...linked.values()]
}

const ownerStatements = ['identity_subjects WHERE subject', 'identity_aliases WHERE alias'].map((where, i) =>
  statement<{ account_id: string }>(
    `claims.owner-responds-${i}`,
    `SELECT account_id FROM ${where} = $1 AND kind LIKE '%Address'`,
  ),
)

/**
 * Called before claims of this address are stored (Database.reach).
 * @throws UNAVAILABLE if a node with an identity of its person does not respond. The aliases of an account can be on
 * every node.
 */
export async function reachClaimant(database: Pick<Database, 'reach' | 'reachAll'>, address: string): Promise<void> {
  const owners = await Promise.all(ownerStatements.map((statement) => database.reach(statement, [address])))
  if (owners.flat().length > 0) database.reachAll()
}

export interface StoredClaim {
  address: string
  account_id: string | null
  key: string | null
  points: number
  sprint_id: number
  claimed_at: Date
}

/** What identifies the earlier claims that a batch of claims of a quest can repeat or contradict. */
export interface SoughtClaims {
  questId: string
  addresses: readonly string[]
  accountIds: readonly string[]
  keys: readonly string[]
}

export interface FoundClaims {
  claims: StoredClaim[]
  participants: Set<string>
}

type FoundClaim = Omit<StoredClaim, 'claimed_at'> & { quest_id: string; claimed_at: Date | null }

// One index look-up per value. With OR, the plan for a small table reads all claims of the quest. The quests are also a list
// of their own, with which a cluster finds the only node of one quest.
const found = preparedWrite<FoundClaim & Record<string, unknown>>(
  'claims.find',
  [
    'unnest($2::text[], $3::text[]) AS v (quest_id, value) ON c.address = v.value',
    'unnest($4::text[], $5::uuid[]) AS v (quest_id, value) ON c.account_id = v.value',
    'unnest($6::text[], $7::text[]) AS v (quest_id, value) ON c.key = v.value',
  ]
    .map(
      (values) => `SELECT c.quest_id, c.address, c.account_id, c.key, c.points, c.sprint_id, c.claimed_at
   FROM quest_claims c JOIN ${values} AND c.quest_id = v.quest_id WHERE c.quest_id = ANY($1::text[])`,
    )
    .concat(
      `SELECT p.quest_id, p.address, NULL, NULL, 0, 0, NULL
   FROM quest_participants p
   JOIN unnest($2::text[], $3::text[]) AS v (quest_id, value) ON p.address = v.value AND p.quest_id = v.quest_id
   WHERE p.quest_id = ANY($1::text[])`,
    )
    .join('\nUNION ALL\n'),
)

/** The claims by these addresses or accounts, or with these keys, and the participants among the addresses; by quest. */
export async function findClaims(
  trx: Kysely<DB>,
  sought: readonly SoughtClaims[],
): Promise<ReadonlyMap<string, FoundClaims>> {
  const byQuest = new Map(
    sought.map(({ questId }): [string, FoundClaims] => [questId, { claims: [], participants: new Set() }]),
  )
  const rows = await found(trx, [
    textArray([...byQuest.keys()]),
    ...(['addresses', 'accountIds', 'keys'] as const).flatMap((kind) => [
      textArray(sought.flatMap((one) => one[kind].map(() => one.questId))),
      textArray(sought.flatMap((one) => one[kind])),
    ]),
  ])
  for (const { quest_id, claimed_at, ...row } of rows) {
    const ofQuest = byQuest.get(quest_id)
    if (claimed_at) ofQuest?.claims.push({ ...row, claimed_at })
    else ofQuest?.participants.add(row.address)
  }
  return byQuest
}

const space = preparedWrite<{ sprint_id: number | null; rules: boolean }>(
  'claims.space',
  `SELECT (
     ${RUNNING_SPRINT}
   ) AS sprint_id, ${RULES_NEED_CLAIMS} AS rules`,
)

/** The running sprint of a space, 0 if none is running, and whether rules of the space need its claims. */
export async function readSpace(
  trx: Kysely<DB>,
  spaceId: number,
  at: Date,
): Promise<{ sprintId: number; rules: boolean }> {
  const [row] = await space(trx, [spaceId, at])
  return { sprintId: row?.sprint_id ?? 0, rules: row?.rules ?? false }
}

// On a cluster, the quest as a parameter keeps a statement on one node. The claims of several quests are one statement, which
// one server executes faster than one for each quest.
const addParticipants = {
  ofOne: preparedWrite(
    'claims.add-participants',
    `INSERT INTO quest_participants (quest_id, address, joined_at)
     SELECT $1, address, $3::timestamptz FROM unnest($2::text[]) AS c (address) ORDER BY address`,
  ),
  ofSeveral: preparedWrite(
    'claims.add-participants-of-several',
    `INSERT INTO quest_participants (quest_id, address, joined_at)
     SELECT quest_id, address, $3::timestamptz FROM unnest($1::text[], $2::text[]) AS c (quest_id, address)
     ORDER BY quest_id, address`,
  ),
}
const CLAIM = `address, nullif(account_id, '')::uuid, nullif(key, ''), points, sprint_id, $8::timestamptz, claim_id`
const addClaims = {
  ofOne: preparedWrite(
    'claims.add',
    `INSERT INTO quest_claims (quest_id, address, account_id, key, points, sprint_id, claimed_at, claim_id)
     SELECT $1, ${CLAIM}
     FROM unnest($2::text[], $3::text[], $4::text[], $5::int[], $6::int[], $7::uuid[])
       AS c (address, account_id, key, points, sprint_id, claim_id)
     ORDER BY address`,
  ),
  ofSeveral: preparedWrite(
    'claims.add-of-several',
    `INSERT INTO quest_claims (quest_id, address, account_id, key, points, sprint_id, claimed_at, claim_id)
     SELECT quest_id, ${CLAIM}
     FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::int[], $6::int[], $7::uuid[])
       AS c (quest_id, address, account_id, key, points, sprint_id, claim_id)
     ORDER BY quest_id, address`,
  ),
}
const counted = preparedWrite(
  'claims.count',
  `UPDATE quests q SET participants_count = q.participants_count + n.added
   FROM unnest($1::text[], $2::int[]) AS n (quest_id, added)
   WHERE q.quest_id = n.quest_id AND q.quest_id = ANY($1::text[])`,
)

/** Stores the participants, the claims and the new counts of locked quests. */
export async function storeClaims(
  trx: Kysely<DB>,
  quests: readonly { questId: string; completions: readonly (StoredClaim & { claim_id: string })[] }[],
  now: Date,
): Promise<void> {
  const rows = quests.flatMap(({ questId, completions }) => completions.map((claim) => ({ questId, ...claim })))
  if (rows.length === 0) return
  const [only, ...others] = new Set(rows.map(({ questId }) => questId))
  const count = others.length === 0 ? 'ofOne' : 'ofSeveral'
  const questIds = others.length === 0 ? (only as string) : textArray(rows.map(({ questId }) => questId))
  const addresses = textArray(rows.map(({ address }) => address))
  await addParticipants[count](trx, [questIds, addresses, now])
  await addClaims[count](trx, [
    questIds,
    addresses,
    textArray(rows.map(({ account_id }) => account_id ?? '')),
    textArray(rows.map(({ key }) => key ?? '')),
    numberArray(rows.map(({ points }) => points)),
    numberArray(rows.map(({ sprint_id }) => sprint_id)),
    textArray(rows.map(({ claim_id }) => claim_id)),
    now,
  ])
  await counted(trx, [
    textArray(quests.map(({ questId }) => questId)),
    numberArray(quests.map(({ completions }) => completions.length)),
  ])
}
