import type { Command } from 'commander'
import { text as textOf } from 'node:stream/consumers'
import { INSTALLATION, NO_NETWORK } from '../audit/audit.ts'
import type { AppliedObject } from '../programme/applied.ts'
import { type Applied, applyObjects, type ApplyOptions } from '../programme/apply.ts'
import type { FieldChange } from '../programme/differences.ts'
import { type DescribedObject, readObjects } from '../programme/objects.ts'
import { parseFile } from '../programme/read-file.ts'
import { confirmed } from './confirm.ts'
import { formatCounts } from './objects.ts'
import { hint, OutputCommand, printDone, printResult } from './output.ts'
import { readNamedFile } from './read-named-file.ts'
import { requireSecretOfService } from './secret-of-service.ts'
import type { WithDependencies } from './token.ts'

const STANDARD_INPUT = '-'
const MAX_VALUE = 120

/** `questboard apply`: creates and changes the objects that files describe (docs/guides/programme-in-git.md). */
export function applyCommand(withDependencies: WithDependencies): Command {
  return new OutputCommand('apply')
    .argument('<file...>', 'YAML or JSON files, stored together or not at all; `-` reads standard input')
    .option('--diff', 'show what would change, and change nothing')
    .option(
      '--prune',
      'for each space in the files, also remove its sprints, quests and credentials that its list omits; a kind without a list is kept',
    )
    .option('--yes', 'with --prune, do not ask before objects are removed')
    .action((names: string[], { diff = false, prune = false, yes = false }: ApplyFlags) =>
      withDependencies(async (deps) => {
        const files = []
        for (const name of names) files.push(parseFile(nameOf(name), await read(name)))
        const objects = readObjects(files)
        if (objects.some(setsSource)) await requireSecretOfService(deps)
        const actor = { accountId: INSTALLATION, network: NO_NETWORK, by: 'command' as const }
        const run = (options: Pick<ApplyOptions, 'diff' | 'prune'>) =>
          applyObjects({ ...deps, actor }, objects, { ...options, environment: process.env })
        const removals = prune && !diff ? await confirmRemovals(await run({ diff: true, prune }), yes) : prune
        const applied = await run({ diff, prune: removals })
        const text = [...applied.objects.map(linesOf), summary(applied, diff)].join('\n')
        const print = diff ? printResult : printDone
        print({ ...applied, stored: !diff }, text)
      }),
    )
}

interface ApplyFlags {
  diff?: boolean
  prune?: boolean
  yes?: boolean
}

/**
 * Shows the objects that would be removed, and asks for confirmation. Later additions are not removed. @returns the
 * names of the confirmed objects
 */
async function confirmRemovals({ objects }: Applied, yes: boolean): Promise<ReadonlySet<string>> {
  const removals = objects.filter(({ action }) => action === 'removed')
  if (removals.length > 0 && !yes) {
    if (!process.stdin.isTTY)
      throw new NotAppliedError('Nothing was stored: no terminal to ask for confirmation. Use --yes.')
    for (const removal of removals) hint(linesOf(removal))
    if (!(await confirmed(`Remove ${removals.length} with their contents? It cannot be undone.`)))
      throw new NotAppliedError('Nothing was stored.')
  }
  return new Set(removals.map(({ kind, id }) => `${kind} ${id}`))
}

class NotAppliedError extends Error {
  override name = 'NotAppliedError'
}

const SIGNS = { created: '+', changed: '~', removed: '-' }

const setsSource = ({ source }: DescribedObject) => source !== undefined && source !== null

const nameOf = (name: string) => (name === STANDARD_INPUT ? 'standard input' : name)

const read = (name: string) => (name === STANDARD_INPUT ? textOf(process.stdin) : readNamedFile('file', name))

function linesOf({ kind, id, name, action, fields, contents }: AppliedObject): string {
  const head = `${SIGNS[action]} ${kind} ${id} ${JSON.stringify(name)}${contents ? `, with contents: ${formatCounts(contents)}` : ''}`
  return [head, ...fields.map(lineOf)].join('\n')
}

function lineOf({ field, before, after }: FieldChange): string {
  return `    ${field}: ${shown(before)} -> ${shown(after)}`
}

function shown(value: unknown): string {
  const text = JSON.stringify(value ?? null)
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text
}

function summary({ objects, unchanged }: Applied, diff: boolean): string {
  const count = (wanted: AppliedObject['action']) => objects.filter(({ action }) => action === wanted).length
  const removed = count('removed')
  const counts = `${count('created')} created, ${count('changed')} changed, ${unchanged} unchanged${removed === 0 ? '' : `, ${removed} removed`}`
  return diff ? `${counts}. Only compared: nothing was stored.` : counts
}
