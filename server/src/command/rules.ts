import { type Command, InvalidArgumentError } from 'commander'
import { NO_NETWORK } from '../audit/audit.ts'
import { updateJoinedProfiles } from '../ranking/profile-changes.ts'
import { type Differences, dryRun, replayRules } from '../rules/replay.ts'
import { readRules, requireRuleSet, setRules } from '../rules/rule-sets.ts'
import type { Rule } from '../rules/rule-kinds.ts'
import type { RuleSet } from '../rules/rule-sets.queries.ts'
import type { Dependencies } from '../services.ts'
import { inBlock } from './columns.ts'
import { confirmed } from './confirm.ts'
import { hint, OutputCommand, printDone, printResult } from './output.ts'
import { readNamedFile } from './read-named-file.ts'
import type { WithDependencies } from './token.ts'

const AUTHOR = { accountId: null, network: NO_NETWORK }

/** `questboard rules …`: rules that give points for events of a space (docs/rules.md). */
export function rulesCommand(withDependencies: WithDependencies): Command {
  const rules = new OutputCommand('rules')

  rules
    .command('show')
    .description('print the rules of a space as a file for `rules set`')
    .argument('<space id>', 'the id of the space', readSpaceId)
    .option('--version <n>', 'an earlier version', readVersion)
    .action((spaceId: number, { version }: { version?: number }) =>
      withDependencies(async ({ database }) => {
        const found = await requireRuleSet(database.kysely, spaceId, version)
        hint(`Version ${found.version} of ${found.createdAt.toISOString()}.`)
        printResult(found, JSON.stringify({ rules: found.rules }, null, 2))
      }),
    )

  rules
    .command('set')
    .description('store the rules of a file as the next version; it applies to new events')
    .argument('<space id>', 'the id of the space', readSpaceId)
    .argument('<file>', 'JSON (docs/rules.md)')
    .action((spaceId: number, file: string) =>
      withDependencies(async (deps) => {
        const stored = await store(deps, spaceId, await readRulesOf(file))
        printDone(stored, `Space ${spaceId} has version ${stored.version} with ${stored.rules.length} rules.`)
      }),
    )

  rules
    .command('dry-run')
    .description('show how points would change if the rules of a file had applied to past events; stores nothing')
    .argument('<space id>', 'the id of the space', readSpaceId)
    .argument('<file>', 'JSON (docs/rules.md)')
    .option(
      '--since <time>',
      'events from this time on; default: since the first version of the rules, or all events if the space has no rules yet',
      readTime,
    )
    .action((spaceId: number, file: string, { since }: { since?: Date }) =>
      withDependencies(async (deps) => {
        const found = await dryRun(deps, spaceId, await readRulesOf(file), { since, maxEvents: Infinity })
        printResult(found, linesOf(found))
      }),
    )

  rules
    .command('replay')
    .description('store the rules of a file, and correct the points of past events with new ledger entries')
    .argument('<space id>', 'the id of the space', readSpaceId)
    .argument('<file>', 'JSON (docs/rules.md)')
    .option('--since <time>', 'events from this time on; default: since the first version of the rules', readTime)
    .option('--yes', 'do not ask for confirmation; required without a terminal')
    .action((spaceId: number, file: string, { since, yes }: { since?: Date; yes?: true }) =>
      withDependencies(async (deps) => {
        const rules = await readRulesOf(file)
        if (!yes) await confirmReplay(await dryRun(deps, spaceId, rules, { since, maxEvents: Infinity }))
        const { version, differences, joined } = await deps.database.kysely.transaction().execute(async (trx) => {
          const stored = await setRules(deps, trx, spaceId, rules, { author: AUTHOR })
          const replayed = await replayRules(deps, trx, spaceId, { since, maxEvents: Infinity, author: AUTHOR })
          return { version: stored.version, ...replayed }
        })
        await updateJoinedProfiles(deps, joined)
        printResult(differences, `${linesOf(differences)}\nSpace ${spaceId} was replayed with version ${version}.`)
      }),
    )

  return rules
}

const store = (deps: Dependencies, spaceId: number, rules: readonly Rule[]): Promise<RuleSet> =>
  deps.database.kysely.transaction().execute((trx) => setRules(deps, trx, spaceId, rules, { author: AUTHOR }))

/** @throws InvalidArgumentError if the file cannot be read or contains no JSON object; ApiError that names the fields */
async function readRulesOf(file: string): Promise<Rule[]> {
  const text = await readNamedFile('file', file)
  let document: unknown
  try {
    document = JSON.parse(text)
  } catch (error) {
    throw new InvalidArgumentError(`${file} is not JSON: ${(error as Error).message}`)
  }
  if (typeof document !== 'object' || document === null || Array.isArray(document))
    throw new InvalidArgumentError(`${file} must contain an object with the key "rules".`)
  return readRules(document)
}

async function confirmReplay(found: Differences): Promise<void> {
  hint(linesOf(found))
  if (!process.stdin.isTTY)
    throw new InvalidArgumentError('Nothing was changed: no terminal to ask for confirmation. Use --yes.')
  if (!(await confirmed('Replay?'))) throw new InvalidArgumentError('Nothing was changed.')
}

const signed = (points: number): string => (points > 0 ? `+${points}` : String(points))

function linesOf({ since, events, rules, members, differences }: Differences): string {
  const lines = [`Events since ${since}: ${events}. Members whose points differ: ${members}.`]
  for (const { id, before, after } of rules)
    lines.push(inBlock([`rule ${id}`, `${before} → ${after}`, signed(after - before)], []))
  for (const { address, before, after, difference } of differences)
    lines.push(inBlock([address, `${before} → ${after}`, signed(difference)], []))
  if (members > differences.length) lines.push(`… and ${members - differences.length} more members`)
  return lines.join('\n')
}

function readSpaceId(text: string): number {
  if (!/^[1-9]\d{0,9}$/.test(text) || Number(text) > 2_147_483_647)
    throw new InvalidArgumentError('It must be the id of a space.')
  return Number(text)
}

function readVersion(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('It must be a whole number above 0.')
  return Number(text)
}

function readTime(text: string): Date {
  const time = new Date(text)
  if (!/^\d{4}-\d\d-\d\dT/.test(text) || Number.isNaN(time.getTime()))
    throw new InvalidArgumentError('It must be a time such as 2026-11-01T00:00:00Z.')
  return time
}
