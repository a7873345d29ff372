import type { Command } from 'commander'
import { text as textOf } from 'node:stream/consumers'
import { INSTALLATION, NO_NETWORK } from '../audit/audit.ts'
import { type Applied, type AppliedObject, applyObjects } from '../programme/apply.ts'
import type { FieldChange } from '../programme/differences.ts'
import { type DescribedObject, readObjects } from '../programme/objects.ts'
import { parseFile } from '../programme/read-file.ts'
import { OutputCommand, printAsJson, printLine } from './output.ts'
import { readNamedFile } from './read-named-file.ts'
import { requireSecretOfService } from './secret-of-service.ts'
import type { WithDependencies } from './token.ts'

const STANDARD_INPUT = '-'
const MAX_VALUE = 120

/** `questboard apply`: creates and changes what files describe (docs/guides/programme-in-git.md). */
export function applyCommand(withDependencies: WithDependencies): Command {
  return new OutputCommand('apply')
    .argument('<file...>', 'YAML or JSON files, stored together or not at all; - reads standard input')
    .option('--diff', 'show what would change, and change nothing')
    .action((names: string[], { diff = false }: { diff?: boolean }) =>
      withDependencies(async (deps) => {
        const files = []
        for (const name of names) files.push(parseFile(nameOf(name), await read(name)))
        const objects = readObjects(files)
        if (objects.some(setsSource)) await requireSecretOfService(deps)
        const asking = { accountId: INSTALLATION, network: NO_NETWORK, by: 'command' as const }
        const applied = await applyObjects({ ...deps, asking }, objects, { diff, environment: process.env })
        for (const object of applied.objects) printLine(linesOf(object))
        printLine(summary(applied, diff))
        printAsJson({ ...applied, stored: !diff })
      }),
    )
}

const setsSource = ({ source }: DescribedObject) => source !== undefined && source !== null

const nameOf = (name: string) => (name === STANDARD_INPUT ? 'standard input' : name)

const read = (name: string) => (name === STANDARD_INPUT ? textOf(process.stdin) : readNamedFile('file', name))

function linesOf({ kind, id, name, action, fields }: AppliedObject): string {
  const head = `${action === 'created' ? '+' : '~'} ${kind} ${id} ${JSON.stringify(name)}`
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
  const created = objects.filter(({ action }) => action === 'created').length
  const counts = `${created} created, ${objects.length - created} changed, ${unchanged} unchanged`
  return diff ? `${counts}. Only compared: nothing was stored.` : counts
}
