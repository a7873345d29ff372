import { fault, unknownReference } from '../texts/faults.ts'
import { isDeepStrictEqual } from 'node:util'
import type { Kysely, Transaction } from 'kysely'
import { readWholeBody } from '../api/read-body.ts'
import { audit, INSTALLATION, NO_NETWORK, type SecurityEvent } from '../audit/audit.ts'
import type { DB } from '../database/tables.ts'
import { conflict, type FieldProblem, invalidFields, notFound } from '../errors.ts'
import { beginAwards } from '../ranking/awards.queries.ts'
import { recordVersions } from '../ranking/boards.ts'
import { lockSpace } from '../ranking/boards.queries.ts'
import { nowOf, type Services } from '../services.ts'
import { countPending } from './apply-rules.ts'
import { beginLogRuns, countPendingLogs, credentialsOfLogs } from './logs.ts'
import { credentialsWithLogs } from './logs.queries.ts'
import { type Rule, ruleDocument, type RuleOf } from './rule-kinds.ts'
import {
  findRuleSet,
  deleteRuns,
  deleteStatesOfOthers,
  insertRuleSet,
  type RuleSet,
  unknownSubjects,
} from './rule-sets.queries.ts'

export type RuleDependencies = Pick<Services, 'clock' | 'random' | 'log'> & { database: { kysely: Kysely<DB> } }

/** The author of a change, for the audit log; without an account, a command. */
export interface RuleAuthor {
  accountId: string | null
  network: string
}

export const BY_COMMAND: RuleAuthor = { accountId: null, network: NO_NETWORK }

/** Milliseconds to wait for awards of the space. */
export const LOCK_WAIT = 5_000

/** Reads the rules of a document. @throws ApiError that names the invalid fields by their paths */
export const readRules = (document: unknown): Rule[] => readWholeBody(ruleDocument, document).rules

/**
 * Stores the rules of a space as its next version, in a transaction of the caller. Events from before are
 * counted by the previous version first. Equal rules do not create a version.
 * @param expected the current version, 0 for none; undefined for any
 * @throws ApiError invalid_argument, not_found, changed_meanwhile, logs_pending
 */
export async function setRules(
  deps: RuleDependencies,
  trx: Transaction<DB>,
  spaceId: number,
  rules: readonly Rule[],
  { author, expected }: { author: RuleAuthor; expected?: number | undefined },
): Promise<RuleSet> {
  await beginAwards(trx, LOCK_WAIT)
  if (!(await lockSpace(trx, spaceId, deps.clock))) throw notFound('Space')
  const now = nowOf(deps)
  const current = await findRuleSet(trx, spaceId)
  const version = current?.version ?? 0
  if (expected !== undefined && expected !== version)
    throw conflict('changed_meanwhile', `The rules of space ${spaceId} have version ${version}, not ${expected}`)
  await requireSubjects(trx, spaceId, rules)
  if (current && isDeepStrictEqual(current.rules, rules)) return current
  await countPending(deps, trx, spaceId)
  await countPendingLogs(deps, trx, current, rules)
  await recordVersions(trx, [spaceId], deps.clock)
  const next = { spaceId, version: version + 1, rules, createdAt: now, createdBy: author.accountId }
  await insertRuleSet(trx, next)
  await deleteStatesOfOthers(
    trx,
    spaceId,
    rules.map(({ id }) => id),
  )
  await beginLogRuns(trx, spaceId, rules, now)
  const before = new Map(current?.rules.map((rule) => [rule.id, rule]))
  const restarted = rules.filter((rule) => {
    const earlier = before.get(rule.id)
    return earlier && (earlier.kind !== rule.kind || credentialOf(earlier) !== credentialOf(rule))
  })
  await deleteRuns(
    trx,
    spaceId,
    restarted.map(({ id }) => id),
  )
  await noteRules(deps, trx, 'rules.changed', author, { space: String(spaceId), version: String(next.version) })
  return next
}

/** @throws ApiError not_found */
export async function requireRuleSet(kysely: Kysely<DB>, spaceId: number, version?: number): Promise<RuleSet> {
  const found = await findRuleSet(kysely, spaceId, version)
  if (!found) throw notFound(version === undefined ? 'Rules of the space' : 'Version of the rules')
  return found
}

/** @throws ApiError that names the quests and credentials that do not exist */
export async function requireSubjects(trx: Kysely<DB>, spaceId: number, rules: readonly Rule[]): Promise<void> {
  const quests = rules.flatMap(questsOf)
  const credentials = rules.flatMap((rule) => credentialOf(rule) ?? [])
  const unknown = await unknownSubjects(trx, spaceId, { quests, credentials })
  const withLogs = await credentialsWithLogs(trx, credentialsOfLogs(rules))
  const problems = rules.flatMap((rule, index): FieldProblem[] => {
    const credential = credentialOf(rule)
    const field = rule.kind === 'daily' ? 'holdersOf' : 'credential'
    return [
      ...questsOf(rule).flatMap((id, i) =>
        unknown.quests.has(id)
          ? [
              {
                field: `rules.${index}.quests.${i}`,
                message: `is no quest of space ${spaceId}`,
                fault: unknownReference(id),
              },
            ]
          : [],
      ),
      ...(credential !== undefined && unknown.credentials.has(credential)
        ? [
            {
              field: `rules.${index}.${field}`,
              message: 'is no credential',
              fault: unknownReference(credential),
            },
          ]
        : rule.kind === 'log'
          ? problemsOfLogs(rule, withLogs.get(rule.credential)).map((problem) => ({
              ...problem,
              field: `rules.${index}.${problem.field}`,
            }))
          : []),
    ]
  })
  const [first, ...more] = problems
  if (first) throw invalidFields([first, ...more])
}

function problemsOfLogs({ minAmount }: RuleOf<'log'>, logs: { amounts: boolean } | undefined): FieldProblem[] {
  if (!logs)
    return [
      {
        field: 'credential',
        message: 'must be a credential with a source of the kind EVM_EVENT',
        fault: fault('no_event_source'),
      },
    ]
  if (minAmount === undefined || logs.amounts) return []
  return [
    {
      field: 'minAmount',
      message: 'needs a source with the setting amount; the logs of this one have none',
      fault: fault('no_amounts'),
    },
  ]
}

const questsOf = (rule: Rule): readonly string[] => ('quests' in rule ? (rule.quests ?? []) : [])

const credentialOf = (rule: Rule): string | undefined => {
  if (rule.kind === 'holder' || rule.kind === 'log') return rule.credential
  return rule.kind === 'daily' ? rule.holdersOf : undefined
}

/** Writes the audit entry of a change in the same transaction. */
export async function noteRules(
  deps: RuleDependencies,
  trx: Transaction<DB>,
  event: SecurityEvent,
  { accountId, network }: RuleAuthor,
  details: Record<string, string>,
): Promise<void> {
  const by = accountId === null ? { by: 'command' } : {}
  await audit(deps, { accountId: accountId ?? INSTALLATION, event, network, details: { ...details, ...by } }, trx)
}
