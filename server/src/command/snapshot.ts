import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Transaction } from 'kysely'
import { audit, INSTALLATION, NO_NETWORK, type SecurityEvent } from '../audit/audit.ts'
import type { DB } from '../database/tables.ts'
import { createServices, type Dependencies } from '../services.ts'
import { download } from '../snapshots/download.ts'
import { type FormatName, formatNames } from '../snapshots/formats.ts'
import { proveMember } from '../snapshots/proof.ts'
import { readSnapshotRequest } from '../snapshots/snapshot-request.ts'
import {
  deleteSnapshot,
  inMegabytes,
  listSnapshots,
  type Note,
  type Preview,
  previewSnapshot,
  requireSealed,
  sealSnapshot,
  showSnapshot,
  subjectOf,
} from '../snapshots/snapshots.ts'
import type { Snapshot } from '../snapshots/snapshots.queries.ts'
import { stateMember } from '../snapshots/statements.ts'
import { idFrom } from '../settings/called-as.ts'
import { inBlock } from './columns.ts'
import { confirmed } from './confirm.ts'
import { AFTER_DESCRIPTION, hint, OutputCommand, printDone, printList, printResult } from './output.ts'
import type { WithDependencies } from './token.ts'
import { written } from './written.ts'

interface CreateOptions {
  space?: string
  sprint?: string
  credential?: string
  quest?: string
  at?: string
  public?: true
  note?: string
  dryRun?: true
  yes?: true
}

/** `questboard snapshot …`: sealed lists with Merkle proofs (docs/snapshots.md). */
export function snapshotCommand(withDependencies: WithDependencies): Command {
  const snapshot = new OutputCommand('snapshot')

  snapshot
    .command('create')
    .description('show the counts of a list and, after a confirmation, seal it')
    .option('--space <id>', 'the board of a space')
    .option('--sprint <id>', 'with --space: the board of this sprint of the space')
    .option('--credential <id>', 'the holders of a credential')
    .option('--quest <id>', 'the participants of a quest')
    .option(
      '--at <time>',
      'time of the list, such as 2026-11-24T12:00:00Z. A board: at most 30 minutes ago. A quest: any earlier time. Not allowed for a credential',
    )
    .option('--public', 'anyone can read proofs and statements without signing in')
    .option(
      '--note <text>',
      'a text for readers of the snapshot, at most 200 characters; of a public snapshot, anyone can read it',
    )
    .option('--dry-run', 'only count; nothing is stored')
    .option('--yes', 'do not ask for confirmation; required without a terminal')
    .action((options: CreateOptions) =>
      withDependencies(async (deps) => {
        const request = requestOf(options)
        const { source, preview } = await previewSnapshot(deps, request)
        if (options.dryRun) return printResult({ ...preview, dryRun: true }, previewLines(preview))
        if (!options.yes) await confirmSnapshot(preview)
        const sealed = await sealSnapshot(deps, source, { request, note: noteFor(deps, 'snapshot.created') })
        printResult(sealed, block(sealed))
      }),
    )

  snapshot
    .command('list')
    .description('all snapshots, newest first')
    .option('--first <n>', 'page size, 1 to 1000', readCount, 100)
    .option('--after <position>', AFTER_DESCRIPTION)
    .action((options: { first: number; after?: string }) =>
      withDependencies(async (deps) => {
        const { items, next } = await listSnapshots(deps, options)
        printList(items, { none: 'No snapshots found.', lines: block })
        if (next !== null) hint(`More: --after ${next}`)
      }),
    )

  snapshot
    .command('show')
    .description('show a snapshot with its counts, digest and Merkle root')
    .argument('<id>', idFrom('snapshot list'))
    .action((id: string) =>
      withDependencies(async (deps) => {
        const shown = await showSnapshot(deps, id)
        printResult(shown, block(shown))
      }),
    )

  snapshot
    .command('download')
    .description('print the list of a snapshot')
    .argument('<id>', idFrom('snapshot list'))
    .addOption(
      new Option(
        '--format <format>',
        'output format. csv: the whole list; `snapshot show` prints the SHA-256 of this file as `digest`. ndjson: the whole list as JSON lines. airdrop: the EVM addresses with points above 0, with the header `address,amount`. disperse: the same without the header',
      )
        .choices(formatNames)
        .default('csv'),
    )
    .action((id: string, { format }: { format: FormatName }) =>
      withDependencies(async (deps) => {
        const sealed = await requireSealed(deps, id)
        for await (const text of download(deps.database.kysely, sealed, format))
          if (!(await written(process.stdout, text))) return
      }),
    )

  snapshot
    .command('proof')
    .description('print the Merkle proof of an address')
    .argument('<id>', idFrom('snapshot list'))
    .argument('<address>', 'an EVM address')
    .action((id: string, address: string) =>
      withDependencies(async (deps) => {
        const proof = await proveMember(deps.database.kysely, await requireSealed(deps, id), address)
        printResult(proof, JSON.stringify(proof, null, 2))
      }),
    )

  snapshot
    .command('statement')
    .description(
      'print a statement about an address as a signed JWT; if QUESTBOARD_STATEMENT_KEY is set, also with an EIP-712 signature',
    )
    .argument('<id>', idFrom('snapshot list'))
    .argument('<address>', 'a member of the snapshot')
    .action((id: string, address: string) =>
      withDependencies(async (deps) => {
        const statement = await stateMember(createServices(deps), await requireSealed(deps, id), address)
        printResult(statement, JSON.stringify(statement, null, 2))
      }),
    )

  snapshot
    .command('delete')
    .description('delete a snapshot with its list and Merkle tree; its proofs are no longer available')
    .argument('<id>', idFrom('snapshot list'))
    .option('--yes', 'do not ask for confirmation; required without a terminal')
    .action((id: string, { yes }: { yes?: true }) =>
      withDependencies(async (deps) => {
        const shown = await showSnapshot(deps, id)
        if (!yes) {
          hint(block(shown))
          requireTerminal('Nothing was deleted')
          if (!(await confirmed('Delete? It cannot be undone.'))) throw new InvalidArgumentError('Nothing was deleted.')
        }
        await deleteSnapshot(deps, id, { note: noteFor(deps, 'snapshot.deleted') })
        printDone({ id }, `Deleted the snapshot ${id}.`)
      }),
    )

  return snapshot
}

function requestOf({ space, sprint, credential, quest, at, public: isPublic, note }: CreateOptions) {
  const number = (text: string | undefined) => (text === undefined ? undefined : Number(text))
  return readSnapshotRequest({
    ...(space !== undefined && { spaceId: number(space) }),
    ...(sprint !== undefined && { sprintId: number(sprint) }),
    ...(credential !== undefined && { credentialId: credential }),
    ...(quest !== undefined && { questId: quest }),
    ...(at !== undefined && { at }),
    ...(isPublic && { public: true }),
    ...(note !== undefined && { note }),
  })
}

const noteFor =
  (deps: Dependencies, event: SecurityEvent): Note =>
  (trx: Transaction<DB>, details) =>
    audit(deps, { accountId: INSTALLATION, event, details: { ...details, by: 'command' }, network: NO_NETWORK }, trx)

async function confirmSnapshot(preview: Preview): Promise<void> {
  hint(previewLines(preview))
  requireTerminal('Nothing was sealed')
  if (!(await confirmed('Seal this list?'))) throw new InvalidArgumentError('Nothing was sealed.')
}

function requireTerminal(outcome: string): void {
  if (!process.stdin.isTTY)
    throw new InvalidArgumentError(`${outcome}: no terminal to ask for confirmation. Use --yes.`)
}

function previewLines({ kind, name, asOf, members, points, leaves, leftOut, banned, bytes }: Preview): string {
  return inBlock(
    [kind, name],
    [
      `as of ${asOf.toISOString()}`,
      `members ${members}`,
      ...(kind === 'space' ? [`points ${points}`] : []),
      `in the Merkle tree ${leaves}`,
      `left out ${leftOut}`,
      ...bannedOf(banned),
      `needs up to ${inMegabytes(bytes)}`,
    ],
  )
}

const bannedOf = (banned: number | null) => (banned ? [`banned ${banned}`] : [])

function block(snapshot: Snapshot): string {
  const { id, kind, name, state, asOf, members, points, leaves, leftOut, banned, digest, root, failure } = snapshot
  const facts = [
    snapshot.public ? 'public' : 'private',
    state,
    `as of ${asOf.toISOString()}`,
    ...(state === 'sealed'
      ? [
          `members ${members}`,
          ...(kind === 'space' ? [`points ${points}`] : []),
          `in the Merkle tree ${leaves}`,
          `left out ${leftOut}`,
          ...bannedOf(banned),
          `digest ${digest}`,
          ...(root === null ? [] : [`root ${root}`]),
        ]
      : []),
    ...(failure === null ? [] : [failure]),
  ]
  const note = snapshot.note === null ? [] : [snapshot.note]
  return inBlock([id, `${kind} ${subjectOf(snapshot)}`, name, ...note], facts)
}

function readCount(text: string): number {
  if (!/^[1-9][0-9]{0,3}$/.test(text) || Number(text) > 1_000)
    throw new InvalidArgumentError('It must be a whole number from 1 to 1000.')
  return Number(text)
}
