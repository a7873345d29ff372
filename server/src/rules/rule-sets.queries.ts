import { type Kysely, sql } from 'kysely'
import { textArray } from '@questboard/pg-read-pipeline'
import type { DB } from '../database/tables.ts'
import { isTicking, listensTo, type Rule } from './rule-kinds.ts'

/** A version of the rules of a space. */
export interface RuleSet {
  spaceId: number
  version: number
  rules: readonly Rule[]
  createdAt: Date
  /** The account; null if a command created the version. */
  createdBy: string | null
}

/** Returns a version of the rules of a space; default: the current one. Returns undefined if it does not exist. */
export async function findRuleSet(kysely: Kysely<DB>, spaceId: number, version?: number): Promise<RuleSet | undefined> {
  const { rows } = await sql<RuleSet>`
    SELECT space_id AS "spaceId", version, rules, created_at AS "createdAt", created_by AS "createdBy"
    FROM rule_sets
    WHERE space_id = ${spaceId} AND ${version === undefined ? sql`true` : sql`version = ${version}`}
    ORDER BY version DESC LIMIT 1`.execute(kysely)
  return rows[0]
}

/** A version without its rules. */
export interface VersionSummary extends Omit<RuleSet, 'rules' | 'spaceId'> {
  /** The number of its rules. */
  rules: number
}

/** Versions of a space, newest first: those before `before`, or the newest ones if it is undefined. */
export async function findVersions(
  kysely: Kysely<DB>,
  spaceId: number,
  { before, limit }: { before: number | undefined; limit: number },
): Promise<VersionSummary[]> {
  const { rows } = await sql<VersionSummary>`
    SELECT version, created_at AS "createdAt", created_by AS "createdBy", jsonb_array_length(rules) AS rules
    FROM rule_sets
    WHERE space_id = ${spaceId} AND ${before === undefined ? sql`true` : sql`version < ${before}`}
    ORDER BY version DESC LIMIT ${limit}`.execute(kysely)
  return rows
}

/** Stores a version and makes it the current one. */
export async function insertRuleSet(trx: Kysely<DB>, { spaceId, version, rules, createdAt, createdBy }: RuleSet) {
  await sql`
    INSERT INTO rule_sets (space_id, version, rules, created_at, created_by)
    VALUES (${spaceId}, ${version}, ${JSON.stringify(rules)}::jsonb, ${createdAt}, ${createdBy})`.execute(trx)
  const wants = {
    on_awards: rules.some((rule) => listensTo(rule, 'award')),
    on_claims: rules.some((rule) => listensTo(rule, 'claim')),
    on_ticks: rules.some(isTicking),
  }
  await trx
    .insertInto('space_rules')
    .values({ space_id: spaceId, version, ...wants, first_at: createdAt })
    .onConflict((conflict) => conflict.column('space_id').doUpdateSet({ version, ...wants }))
    .execute()
}

/**
 * Deletes the stored state of all rules that are not in `kept`. If such a rule is added again later, it is treated as a
 * new rule.
 */
export async function deleteStatesOfOthers(trx: Kysely<DB>, spaceId: number, kept: readonly string[]): Promise<void> {
  for (const table of ['rule_states', 'rule_runs', 'rule_log_runs', 'rule_holders'] as const)
    await sql`
      DELETE FROM ${sql.table(table)} WHERE space_id = ${spaceId} AND rule_id <> ALL (${kept}::text[])`.execute(trx)
}

/**
 * Deletes the progress (`rule_runs`) of daily and holder rules. The caller names the rules whose kind or credential has
 * changed. Points that the rules gave remain.
 */
export async function deleteRuns(trx: Kysely<DB>, spaceId: number, ruleIds: readonly string[]): Promise<void> {
  await sql`DELETE FROM rule_runs WHERE space_id = ${spaceId} AND rule_id = ANY (${ruleIds}::text[])`.execute(trx)
}

/** Returns the given quests that are deleted or not in the space, and the given credentials that do not exist. */
export async function unknownSubjects(
  trx: Kysely<DB>,
  spaceId: number,
  { quests, credentials }: { quests: readonly string[]; credentials: readonly string[] },
): Promise<{ quests: Set<string>; credentials: Set<string> }> {
  const foundQuests = await sql<{ id: string }>`
    SELECT quest_id AS id FROM quests
    WHERE quest_id = ANY(${textArray(quests)}::text[]) AND space_id = ${spaceId} AND status <> 'Deleted'`.execute(trx)
  const foundCredentials = await sql<{ id: string }>`
    SELECT credential_id::text AS id FROM credentials
    WHERE credential_id = ANY(${textArray(credentials)}::bigint[])`.execute(trx)
  const others = (ids: readonly string[], rows: readonly { id: string }[]) =>
    new Set(ids).difference(new Set(rows.map(({ id }) => id)))
  return { quests: others(quests, foundQuests.rows), credentials: others(credentials, foundCredentials.rows) }
}

export interface RulesOfSpace {
  version: number
  firstAt: Date
  replays: number
}

export async function findSpaceRules(kysely: Kysely<DB>, spaceId: number): Promise<RulesOfSpace | undefined> {
  const { rows } = await sql<RulesOfSpace>`
    SELECT version, first_at AS "firstAt", replays FROM space_rules WHERE space_id = ${spaceId}`.execute(kysely)
  return rows[0]
}

export async function incrementReplays(trx: Kysely<DB>, spaceId: number): Promise<number> {
  const { rows } = await sql<{ replays: number }>`
    UPDATE space_rules SET replays = replays + 1 WHERE space_id = ${spaceId} RETURNING replays`.execute(trx)
  return rows[0]?.replays ?? 0
}

export async function spaceExists(trx: Kysely<DB>, spaceId: number): Promise<boolean> {
  const { rows } = await sql`SELECT FROM spaces WHERE space_id = ${spaceId}`.execute(trx)
  return rows.length > 0
}
