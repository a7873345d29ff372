import { type Command, InvalidArgumentError, Option } from 'commander'
import { notFound } from '../errors.ts'
import { audit, INSTALLATION, NO_NETWORK } from '../audit/audit.ts'
import { type EntryPosition, readEntryId } from '../ledger/entry.ts'
import { formatNames, type FormatName, formats, linesOf } from '../ledger/export.ts'
import { filterParameters, readFilter } from '../ledger/filter.ts'
import { readAll } from '../ledger/read-entries.ts'
import { applyReversals } from '../ledger/reversals.ts'
import type { SealReport } from '../ledger/seals.ts'
import type { Difference } from '../ledger/verify.queries.ts'
import { verifyLedger } from '../ledger/verify.ts'
import { OutputCommand, printDone, printResult, progressScreen } from './output.ts'
import { rowsDisplay } from './progress.ts'
import { withinLength } from '../text/characters.ts'
import type { WithDependencies } from './token.ts'
import { written } from './written.ts'

/** `questboard ledger …`: the changes of points of a space (docs/ledger.md). */
export function ledgerCommand(withDependencies: WithDependencies): Command {
  const ledger = new OutputCommand('ledger')

  ledger
    .command('verify')
    .description(
      'compare the ledger of a space with its boards, and each sealed month with its digest (docs/ledger.md); the exit status is 1 if they differ',
    )
    .argument('<space id>', 'the id of the space', readSpaceId)
    .action((spaceId: number) =>
      withDependencies(async ({ database }) => {
        const report = await verifyLedger(database.kysely, spaceId)
        if (!report) throw notFound('Space')
        const { entries, version, opening, chains, balances, pending, seals } = report
        const samePending = pending.expected === pending.found
        const wrong = chains.count + balances.count + (samePending ? 0 : 1)
        const lines = [
          `Space ${spaceId}, version ${version}: ${entries} entries.`,
          ...(opening > 0 ? [`The opening balances of ${opening} boards are still being entered.`] : []),
          ...chains.first.map(inWords),
          ...balances.first.map(inWords),
          ...(samePending
            ? []
            : [
                `  points that are not available yet: the ledger has ${pending.expected}, the awards have ${pending.found}`,
              ]),
          wrong === 0 ? 'The boards are identical to the ledger.' : `${wrong} differences.`,
          ...sealLines(seals),
        ]
        const sealed = seals.sealed.map(({ month, entryCount, digest }) => ({
          month,
          entries: entryCount,
          digest: digest.toString('hex'),
        }))
        const broken = seals.broken ?? null
        printResult(
          { spaceId, ...report, seals: { sealed, broken }, identical: wrong === 0 && broken === null },
          lines.join('\n'),
        )
        if (wrong > 0 || broken) process.exitCode = 1
      }),
    )

  ledger
    .command('export')
    .description('print the entries of a space, oldest first')
    .argument('<space id>', 'the id of the space', readSpaceId)
    .addOption(new Option('--format <format>', 'the format').choices(formatNames).default('csv'))
    .option('--address <address>', filterParameters.address)
    .option('--sprint <id>', filterParameters.sprintId)
    .option('--source <sources>', filterParameters.source)
    .option('--from <time>', filterParameters.from)
    .option('--to <time>', filterParameters.to)
    .option('--after <entry>', 'only entries after this one, such as 12-3', readPosition)
    .action((spaceId: number, { format, after, sprint, ...filters }: ExportOptions) =>
      withDependencies(async ({ database, clock }) => {
        const filter = { spaceId, ...readFilter({ ...filters, sprintId: sprint }) }
        const display = rowsDisplay(progressScreen(), clock, 'entries')
        let share = 0
        const pages = readAll(database.kysely, filter, {
          after,
          progress: (version, { first, last }) => (share = (version - first + 1) / Math.max(last - first + 1, 1)),
        })
        let head: string = formats[format].head
        for await (const entries of pages) {
          if (!(await written(process.stdout, head + linesOf(format, entries)))) return
          head = ''
          display.wrote(entries.length, Math.min(Math.max(share, 0), 1))
        }
        display.close()
      }),
    )

  ledger
    .command('reverse')
    .description('add an entry that takes back an award, an imported change, or the points of a quest or rule')
    .argument('<space id>', 'the id of the space', readSpaceId)
    .argument('[entry]', 'the id of the entry, such as 12-3', readPosition)
    .option('--key <key>', 'the key of an award, instead of the entry')
    .requiredOption('--reason <text>', 'the reason of the reversal, 1 to 500 characters', readReason)
    .action((spaceId: number, entry: EntryPosition | undefined, { key, reason }: { key?: string; reason: string }) =>
      withDependencies(async (deps) => {
        if ((entry === undefined) === (key === undefined))
          throw new InvalidArgumentError(
            key === undefined
              ? 'The entry is missing: name its id, or --key.'
              : 'The entry and --key are both given; name one of them.',
          )
        const outcome = await deps.database.kysely.transaction().execute(async (trx) => {
          const [outcome] = await applyReversals(trx, spaceId, [{ entry, key, reason }], deps.clock)
          if (outcome?.status === 'applied')
            await audit(
              deps,
              {
                accountId: INSTALLATION,
                event: 'points.reversed',
                details: { space: String(spaceId), entry: outcome.entry, by: 'command' },
                network: NO_NETWORK,
              },
              trx,
            )
          return outcome
        })
        if (!outcome || outcome.status === 'refused')
          throw new InvalidArgumentError(`Nothing was changed: ${outcome?.field} ${outcome?.reason}.`)
        printDone(
          { spaceId, ...outcome },
          outcome.status === 'applied'
            ? `Reversed with the entry ${outcome.entry}.`
            : 'It was already reversed; nothing changed.',
        )
      }),
    )

  return ledger
}

function readPosition(text: string): EntryPosition {
  const place = readEntryId(text)
  if (!place) throw new InvalidArgumentError('allowed: the id of an entry, such as 12-3.')
  return place
}

function readReason(text: string): string {
  if (text.trim() === '' || !withinLength(text, 500)) throw new InvalidArgumentError('allowed: 1 to 500 characters.')
  return text
}

interface ExportOptions {
  format: FormatName
  address?: string
  sprint?: string
  source?: string
  from?: string
  to?: string
  after?: EntryPosition
}

function sealLines({ sealed, broken }: SealReport): string[] {
  if (broken)
    return [
      broken.reason === 'changed'
        ? `The entries of ${broken.month} were changed after the month was sealed.`
        : `The month ${broken.month} has entries but no seal, although a later month is sealed.`,
    ]
  return sealed.map(
    ({ month, entryCount, digest }) => `${month}: ${entryCount} entries, digest ${digest.toString('hex')}`,
  )
}

function inWords({ sprintId, address, version, expected, found }: Difference): string {
  const board = sprintId === 0 ? 'overall board' : `sprint ${sprintId}`
  const place = version === null ? 'the board has' : `the entry of version ${version} begins with`
  return `  ${address}, ${board}: the ledger leads to ${expected ?? 'no entry'}, ${place} ${found ?? 'none'}`
}

function readSpaceId(text: string): number {
  if (!/^[1-9]\d{0,9}$/.test(text) || Number(text) > 2_147_483_647)
    throw new InvalidArgumentError('allowed: a whole number from 1 to 2147483647.')
  return Number(text)
}
