import { type Command, Option } from 'commander'
import { sweepHolderLists } from '../ingest/holders-sweep.ts'
import { importFile } from '../ingest/import-file.ts'
import { type KindName, kindNames } from '../ingest/kinds.ts'
import { OutputCommand, printDone, progressScreen } from './output.ts'
import { count, duration, importDisplay } from './progress.ts'
import type { WithDependencies } from './token.ts'

/** Somebody pressed Ctrl-C. */
export class InterruptedError extends Error {
  override name = 'InterruptedError'
}

interface ImportOptions {
  kind?: KindName
  credential?: string
  replace?: boolean
}

/** `questboard import FILE`. */
export function importCommand(withDependencies: WithDependencies): Command {
  return new OutputCommand('import')
    .argument('<file>', 'the file; - reads standard input')
    .addOption(
      new Option('--kind <kind>', "what it holds (default: told by the file's name or fields)").choices(kindNames),
    )
    .option('--credential <id>', 'the credential of holders whose lines name none')
    .option('--replace', 'make the holders the whole list of their credentials, instead of adding them')
    .action((file: string, options: ImportOptions) => withDependencies((deps) => runImport(deps, file, options)))
}

async function runImport(
  { database, clock }: Parameters<Parameters<WithDependencies>[0]>[0],
  file: string,
  { kind, credential, replace }: ImportOptions,
): Promise<void> {
  const stopping = new AbortController()
  const stop = () => stopping.abort(new InterruptedError('Stopped. Nothing was stored.'))
  process.once('SIGINT', stop).once('SIGTERM', stop)
  const screen = progressScreen()
  const display = importDisplay(screen, clock)
  const started = clock.now()
  /** A running service does the same; what is interrupted here is done there, or by the next replacement. */
  async function removeFormerLists(): Promise<void> {
    if (screen.isTTY) screen.write('removing the former list (Ctrl-C leaves that to the service) …')
    await sweepHolderLists(database.kysely, clock.now(), stopping.signal)
    if (screen.isTTY) screen.write('\r\u001b[2K')
  }

  try {
    const report = await importFile({ database, clock, signal: stopping.signal }, file, {
      standardInput: process.stdin,
      kind,
      credentialId: credential,
      replace,
      progress: display,
    })
    const elapsed = Math.max(clock.now() - started, 1)
    const same = report.read - report.added - report.changed
    display.close()
    printDone(
      { ...report, same, milliseconds: elapsed },
      `${report.kind}: ${count(report.read)} ${report.read === 1 ? 'line' : 'lines'} read, ${count(report.added)} added, ${count(report.changed)} changed, ` +
        `${count(same)} as before (${duration(elapsed)}, ${count((report.read * 1000) / elapsed)} lines/s)`,
    )
    if (replace) await removeFormerLists()
  } catch (error) {
    stopping.signal.throwIfAborted()
    throw error
  } finally {
    display.close()
    process.off('SIGINT', stop).off('SIGTERM', stop)
  }
}
