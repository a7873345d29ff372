import { type Command, InvalidArgumentError, Option } from 'commander'
import { audit, INSTALLATION, NO_NETWORK } from '../audit/audit.ts'
import { sweepHolderLists } from '../ingest/holders-sweep.ts'
import { importFile } from '../ingest/import-file.ts'
import { type KindName, kindNames } from '../ingest/kinds.ts'
import { OutputCommand, printAsJson, printLine, progressScreen } from './output.ts'
import { count, duration, importDisplay } from './progress.ts'
import type { WithDependencies } from './token.ts'
import { runUntilStopped } from './run-until-stopped.ts'

interface ImportOptions {
  kind?: KindName
  credential?: string
  replace?: boolean
  map: ReadonlyMap<string, string>
  set: ReadonlyMap<string, string>
  ignoreUnknown?: boolean
  dryRun?: boolean
}

export function importCommand(withDependencies: WithDependencies): Command {
  return new OutputCommand('import')
    .argument('<file...>', 'the files, in the order of their import; `-` reads standard input')
    .addOption(
      new Option('--kind <kind>', "kind of the records (default: detected from the file's name or fields)").choices(
        kindNames,
      ),
    )
    .option('--credential <id>', 'for holders: the credential of lines that contain no credential id')
    .option('--replace', 'replace all holders of each credential in the file, instead of adding holders')
    .option('--map <column=field>', 'read a column as a field; may be repeated', collectPair, new Map())
    .option('--set <field=value>', 'set a field to a value in all lines; may be repeated', collectPair, new Map())
    .option('--ignore-unknown', 'ignore columns that are not fields')
    .option('--dry-run', 'check and count everything, but store nothing')
    .action((files: string[], options: ImportOptions) =>
      withDependencies(async (deps) => {
        const reports: object[] = []
        for (const file of files)
          reports.push(
            await runImport(deps, file, options, files.length > 1).catch((error: unknown) => {
              if (files.length > 1 && error instanceof Error) error.message = `${file}: ${error.message}`
              throw error
            }),
          )
        printAsJson(reports)
      }),
    )
}

function collectPair(text: string, before: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const at = text.indexOf('=')
  if (at < 1) throw new InvalidArgumentError('It must have the form NAME=VALUE.')
  return new Map([...before, [text.slice(0, at).trim(), text.slice(at + 1).trim()]])
}

type Dependencies = Parameters<Parameters<WithDependencies>[0]>[0]

const runImport = (deps: Dependencies, file: string, options: ImportOptions, several: boolean): Promise<object> =>
  runUntilStopped('Stopped. Nothing was stored.', (signal) => importUntil(signal, deps, file, options, several))

async function importUntil(
  signal: AbortSignal,
  { database, clock, random, log }: Dependencies,
  file: string,
  { kind, credential, replace, map, set, ignoreUnknown = false, dryRun = false }: ImportOptions,
  several: boolean,
): Promise<object> {
  const screen = progressScreen()
  const display = importDisplay(screen, clock)
  const started = clock.now()
  /** The service does the same, so an interrupted run is completed there or by the next replacement. */
  async function removeFormerLists(): Promise<void> {
    if (screen.isTTY) screen.write('removing the old list (after Ctrl-C the service does it) …')
    await sweepHolderLists(database.kysely, clock.now(), signal)
    if (screen.isTTY) screen.write('\r\u001b[2K')
  }

  try {
    const report = await importFile({ database, clock, signal }, file, {
      standardInput: process.stdin,
      kind,
      credentialId: credential,
      replace,
      adjustments: { map, set, ignoreUnknown },
      dryRun,
      progress: display,
      async beforeCommit(trx, { kind, read, added }) {
        // A file without records is an error.
        if (read === 0) return
        const details = { kind, read: String(read), added: String(added), by: 'command' }
        const entry = { accountId: INSTALLATION, event: 'data.imported', network: NO_NETWORK, details } as const
        await audit({ clock, random, log }, entry, trx)
      },
    })
    const elapsed = Math.max(clock.now() - started, 1)
    const same = report.read - report.added - report.changed
    display.close()
    const which = several ? `${file}: ` : ''
    printLine(
      `${which}${report.kind}: ${count(report.read)} ${report.read === 1 ? 'line' : 'lines'} read, ${count(report.added)} added${report.banned ? ` (${count(report.banned)} for banned members: they count when the ban ends)` : ''}, ` +
        `${count(report.changed)} changed, ${count(same)} unchanged${report.takenBack ? ` (${count(report.takenBack)} undone before)` : ''}${report.removed === undefined ? '' : `, ${count(report.removed)} removed`} (${duration(elapsed)}, ${count((report.read * 1000) / elapsed)} lines/s)${dryRun ? '. Dry run: nothing was stored' : ''}`,
    )
    if (replace && !dryRun) await removeFormerLists()
    return { file, ...report, same, dryRun, milliseconds: elapsed }
  } finally {
    display.close()
  }
}
