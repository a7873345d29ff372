import type { Kysely, Transaction } from 'kysely'
import { isDeepStrictEqual } from 'node:util'
import type { AuthoredServices } from '../content/records/edit.ts'
import type { DB } from '../database/tables.ts'
import { ApiError, type FieldProblem, invalidFields } from '../errors.ts'
import type { Rule } from '../rules/rule-kinds.ts'
import { readRules, setRules } from '../rules/rule-sets.ts'
import { findRuleSet } from '../rules/rule-sets.queries.ts'
import { differences, type FieldChange } from './differences.ts'

/** Reads the rules that a file describes. @returns the problems of invalid ones, with paths such as `rules[0].points` */
export function readDescribedRules(described: unknown): Rule[] | { problems: FieldProblem[] } {
  try {
    return readRules({ rules: described ?? [] })
  } catch (error) {
    return { problems: problemsOf(error) }
  }
}

/** Stores the rules of a space as its next version, unless they are equal to the current ones. */
export async function applyRules(
  { actor, ...deps }: AuthoredServices,
  trx: Transaction<DB>,
  spaceId: number,
  rules: readonly Rule[],
): Promise<FieldChange[]> {
  const before = (await findRuleSet(trx, spaceId))?.rules ?? []
  if (isDeepStrictEqual(before, rules)) return []
  const author = { accountId: actor.by === 'command' ? null : actor.accountId, network: actor.network }
  try {
    await setRules(deps, trx, spaceId, rules, { author })
  } catch (error) {
    const [first, ...more] = problemsOf(error)
    throw first ? invalidFields([first, ...more]) : error
  }
  return changesOf(before, rules)
}

/** The rules of a space as a file describes them, without the settings that have their default. */
export async function describeRules(trx: Kysely<DB>, spaceId: number): Promise<object[]> {
  const rules = (await findRuleSet(trx, spaceId))?.rules ?? []
  // The database does not keep the order of settings; the schema has one.
  return readRules({ rules }).map(({ id, kind, description, ...more }) =>
    withoutDefaults({ id, kind, description, ...more } as Rule),
  )
}

function withoutDefaults(rule: Rule): object {
  const settings = Object.entries(rule)
  const isDefault = (name: string) => {
    const read = readDescribedRules([Object.fromEntries(settings.filter(([other]) => other !== name))])
    return Array.isArray(read) && isDeepStrictEqual(read, [rule])
  }
  return Object.fromEntries(settings.filter(([name]) => !isDefault(name)))
}

/** Rules are compared by their ids. */
function changesOf(before: readonly Rule[], after: readonly Rule[]): FieldChange[] {
  const ids = [...new Set([...before, ...after].map(({ id }) => id))]
  const withId = (rules: readonly Rule[], id: string) => rules.find((rule) => rule.id === id) ?? null
  const changes = ids.flatMap((id) => differences(`rules.${id}`, withId(before, id), withId(after, id)))
  const order = (rules: readonly Rule[], others: readonly Rule[]) =>
    rules.map(({ id }) => id).filter((id) => withId(others, id))
  return [...changes, ...differences('rules', order(before, after).join(', '), order(after, before).join(', '))]
}

function problemsOf(error: unknown): FieldProblem[] {
  const { problems } = error instanceof ApiError ? (error.details as { problems?: FieldProblem[] }) : {}
  if (!problems) throw error
  return problems.map(({ field, message }) => ({ field: field.replaceAll(/\.(\d+)(?=\.|$)/g, '[$1]'), message }))
}
