import type { Command } from 'commander'
import type { Transaction } from 'kysely'
import type { MonotonicClock } from '../clock.ts'
import { audit, INSTALLATION, NO_NETWORK, type SecurityEvent } from '../audit/audit.ts'
import type { DB } from '../database/tables.ts'
import type { Dependencies } from '../services.ts'
import { isCredentialId } from '../resolvers/credential-id.ts'
import { runSync } from '../sync/run-sync.ts'
import { setSource } from '../sync/set-source.ts'
import { shownSource } from '../sync/sealed-source.ts'
import { modeOf, SourceRefusedError } from '../sync/source.ts'
import { findSource, listSources, removeSource, type SourceRow } from '../sync/sources.queries.ts'
import { idFrom, PROGRAM } from '../settings/called-as.ts'
import { hint, OutputCommand, printDone, printList, progressScreen, type Screen } from './output.ts'
import { readNamedFile } from './read-named-file.ts'
import { requireSecretOfService } from './secret-of-service.ts'
import type { WithDependencies } from './token.ts'

const LISTED_ID = idFrom('sync list')

/** `questboard sync …`: sources of holder lists (docs/sync.md). */
export function syncCommand(withDependencies: WithDependencies): Command {
  const sync = new OutputCommand('sync')

  sync
    .command('list')
    .description('list the credentials with a source, and the results of their last runs')
    .action(() =>
      withDependencies(async ({ database }) => {
        printList(await listSources(database.kysely), {
          none: `No credential has a source. Set one with: ${PROGRAM} sync set`,
          lines: describe,
          record: (row) => ({ ...row, source: shownSource(row.source) }),
        })
      }),
    )

  sync
    .command('set')
    .argument('<credential>', idFrom('credential list'))
    .description('set the source of a credential; a running service starts the first run within seconds')
    .requiredOption('--file <file>', 'JSON file that describes the source (docs/sync.md)')
    .action((credential: string, options: { file: string }) =>
      withDependencies(async (deps) => {
        await requireSecretOfService(deps)
        const source = await setSource(
          deps,
          credential,
          parseFile(await readNamedFile('--file', options.file), options.file),
          { note: (set, trx) => note(deps, 'sync.source-set', { credential, kind: set.kind }, trx) },
        )
        printDone(
          { credentialId: credential, kind: source.kind },
          `The holders of the credential ${credential} now come from its ${source.kind} source.`,
        )
        if (modeOf(source.kind) === 'runs')
          hint(`A running service imports them within seconds; or run: ${PROGRAM} sync run ${credential}`)
      }),
    )

  sync
    .command('run')
    .argument('<credential>', LISTED_ID)
    .description('import the holders of a credential now')
    .option('--confirm', 'run even if this removes more holders than `mostRemoved` of the source allows')
    .action((credential: string, options: { confirm?: boolean }) =>
      withDependencies(async (deps) => {
        const started = deps.clock.monotonic()
        const screen = progressScreen()
        const done = await runSync(deps, credential, {
          confirmed: options.confirm ?? false,
          begin: (trx) =>
            note(deps, 'sync.started', { credential, ...(options.confirm && { confirmed: 'true' }) }, trx),
          progress: showProgress(screen, deps.clock),
        })
        if (screen.isTTY) screen.write('\n')
        const seconds = ((deps.clock.monotonic() - started) / 1_000).toFixed(1)
        printDone(
          { credentialId: credential, ...done },
          `${done.holders} holders (${done.added} new, ${done.removed} gone) from ${done.read} entries in ${seconds} s` +
            (done.skipped > 0 ? `; ${done.skipped} entries were not addresses and were skipped` : ''),
        )
      }),
    )

  sync
    .command('remove')
    .argument('<credential>', LISTED_ID)
    .description('remove the source of a credential; its holders stay as they are')
    .action((credential: string) =>
      withDependencies(async (deps) => {
        const { kysely } = deps.database
        const found = isCredentialId(credential) ? await findSource(kysely, credential) : undefined
        if (!found) throw new SourceRefusedError(`Credential ${credential} does not exist.`)
        const removed = await kysely.transaction().execute(async (trx) => {
          const existed = await removeSource(trx, credential)
          if (existed) await note(deps, 'sync.source-removed', { credential }, trx)
          return existed
        })
        const text = removed ? 'no longer has a source' : 'has no source; nothing was changed'
        printDone(
          { credentialId: credential, removed, holders: found.itemCount },
          `The credential ${credential} ${text}; its ${found.itemCount} holders stay.`,
        )
      }),
    )

  return sync
}

function note(
  deps: Pick<Dependencies, 'clock' | 'random' | 'log'>,
  event: SecurityEvent,
  details: Record<string, string>,
  trx: Transaction<DB>,
): Promise<void> {
  return audit(
    deps,
    { accountId: INSTALLATION, event, network: NO_NETWORK, details: { ...details, by: 'command' } },
    trx,
  )
}

function parseFile(text: string, file: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    throw new SourceRefusedError(`${file} is not JSON: ${(error as Error).message}`, { cause: error })
  }
}

function describe(row: SourceRow): string {
  const { kind, host } = shownSource(row.source)
  const head = `${row.credentialId}  ${row.name}\n    ${host === '' ? kind : `${kind} ${host}`}, ${row.itemCount} holders, ${row.syncStatus}`
  if (modeOf(kind) === 'live') return `${head}; requested for each query of an address`
  if (modeOf(kind) === 'acts') return `${head}; members become holders on the pages of quests`
  const lines = [
    `${head}; ${row.state}, last success ${time(row.lastSuccessAt)}, next run ${time(row.nextRunAt)}`,
    ...(row.reason === null ? [] : [`    ${row.failures} failed: ${row.reason}`]),
    ...(row.state === 'held' ? [`    to remove them: ${PROGRAM} sync run ${row.credentialId} --confirm`] : []),
  ]
  return lines.join('\n')
}

function time(at: Date | null): string {
  return at === null ? 'never' : at.toISOString().replace(/\.\d+Z$/, 'Z')
}

/** Redraws one line on a terminal; prints nothing elsewhere. */
function showProgress(screen: Screen, clock: MonotonicClock): (read: number) => void {
  if (!screen.isTTY) return () => {}
  const started = clock.monotonic()
  return (read) => {
    const rate = Math.round(read / ((clock.monotonic() - started) / 1_000))
    screen.write(`\r${read} entries read, ${rate} a second `)
  }
}
