import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Dependencies } from '../services.ts'
import { audit, INSTALLATION, NO_NETWORK } from '../audit/audit.ts'
import { objectKinds, type ObjectName } from '../objects/object-kinds.ts'
import { deleteObject, exportObject, listObjects, showObject } from '../objects/objects.ts'
import type { ListedObject } from '../objects/objects.queries.ts'
import { inBlock } from './columns.ts'
import { confirmed } from './confirm.ts'
import { AFTER_DESCRIPTION, hint, OutputCommand, printDone, printList, printResult } from './output.ts'
import type { WithDependencies } from './token.ts'
import { written } from './written.ts'

/** `questboard space|sprint|starboard|credential|quest …`. */
export function objectCommand(name: ObjectName, withDependencies: WithDependencies): Command {
  const { plural, allowedId, exports, removes } = objectKinds[name]
  const command = new OutputCommand(name)

  command
    .command('list')
    .description(`all ${plural}, in the order of their ids`)
    .option('--first <n>', 'page size, 1 to 1000', readCount, 100)
    .option('--after <position>', AFTER_DESCRIPTION, '')
    .action((options: { first: number; after: string }) =>
      withDependencies(async (deps) => {
        const { items, next } = await listObjects(deps, name, options)
        printList(items, { none: `No ${plural} found.`, lines: block })
        if (next !== null) hint(`More: --after ${next}`)
      }),
    )

  command
    .command('show')
    .description(`show a ${name}, and count its records by kind`)
    .argument('<id>', allowedId)
    .action((id: string) =>
      withDependencies(async (deps) => {
        const shown = await showObject(deps, name, id)
        const { contents, ...object } = shown
        const counts = Object.entries(contents).map(([what, count]) => `${what} ${count}`)
        printResult(shown, `${block(object)}\n    ${counts.join(', ') || 'empty'}`)
      }),
    )

  command
    .command('delete')
    .description(`delete a ${name} with ${removes}`)
    .argument('<id>', allowedId)
    .option('--yes', 'do not ask for confirmation; required without a terminal')
    .action((id: string, { yes }: { yes?: true }) =>
      withDependencies(async (deps) => {
        if (!yes) await confirmDeletion(deps, name, id)
        const removed = await deleteObject(deps, name, id, {
          note: (trx, rows) => {
            const counts = Object.fromEntries(Object.entries(rows).map(([what, count]) => [what, String(count)]))
            const details = { ...counts, kind: name, id, by: 'command' }
            return audit(deps, { accountId: INSTALLATION, event: 'data.deleted', details, network: NO_NETWORK }, trx)
          },
        })
        printDone({ kind: name, id, removed }, `Deleted the ${name} ${id}: ${formatCounts(removed)}.`)
      }),
    )

  command
    .command('export')
    .description(`print records of one kind as NDJSON, for \`import\`; by default only the ${name} itself`)
    .argument('<id>', allowedId)
    .addOption(new Option('--kind <kind>', 'kind of the records').choices(exports).default(exports[0]))
    .action((id: string, { kind }: { kind: string }) =>
      withDependencies((deps) =>
        exportObject(deps, name, id, { kind }, async (records) => {
          for await (const record of records)
            if (!(await written(process.stdout, `${JSON.stringify(record)}\n`))) return
        }),
      ),
    )

  return command
}

async function confirmDeletion(deps: Dependencies, name: ObjectName, id: string): Promise<void> {
  const { name: called, contents } = await showObject(deps, name, id)
  hint(`The ${name} ${id} (${called}) has: ${formatCounts(contents)}.`)
  hint(`This also deletes ${objectKinds[name].removes}.`)
  if (!process.stdin.isTTY)
    throw new InvalidArgumentError('Nothing was deleted: no terminal to ask for confirmation. Use --yes.')
  if (!(await confirmed('Delete? It cannot be undone.'))) throw new InvalidArgumentError('Nothing was deleted.')
}

/** Counts by kind for a message. */
export const formatCounts = (counts: Record<string, number>): string =>
  Object.entries(counts)
    .map(([what, count]) => `${what} ${count}`)
    .join(', ') || 'empty'

function block({ id, name, ...fields }: ListedObject): string {
  const facts = Object.entries(fields).flatMap(([field, value]) => {
    if (value === null || value === '' || field === 'description') return []
    return [`${field} ${value instanceof Date ? value.toISOString() : JSON.stringify(value).replaceAll('"', '')}`]
  })
  return inBlock([id, name], facts)
}

function readCount(text: string): number {
  if (!/^[1-9][0-9]{0,3}$/.test(text) || Number(text) > 1_000)
    throw new InvalidArgumentError('It must be a whole number from 1 to 1000.')
  return Number(text)
}
