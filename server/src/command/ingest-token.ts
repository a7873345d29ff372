import { type Command, Option } from 'commander'
import { idFrom, toType } from '../settings/called-as.ts'
import {
  createIngestToken,
  type IssuedIngestToken,
  listIngestTokens,
  regenerateIngestToken,
  revokeIngestToken,
} from '../access/ingest-tokens.ts'
import { ACCOUNT_OPTION, namedAccount } from './named-account.ts'
import { inBlock } from './columns.ts'
import { noteToken } from './note-token.ts'
import { OutputCommand, printDone, printList, printSecret } from './output.ts'
import type { WithDependencies } from './token.ts'

const LISTED_ID = idFrom('ingest-token list')

interface CreateOptions {
  name: string
  account: string
  all?: boolean
  spaces?: string
  starboards?: string
  credentials?: string
  expires?: string
}

/** `questboard ingest-token …`: tokens for POST /ingest/v1 (docs/ingest.md). */
export function ingestTokenCommand(withDependencies: WithDependencies): Command {
  const token = new OutputCommand('ingest-token')

  token
    .command('create')
    .description('create a token; its value is printed once and cannot be shown again')
    .requiredOption('--name <name>', 'name of the token, 1 to 100 characters')
    .option('--account <account>', ACCOUNT_OPTION, 'default')
    .addOption(new Option('--all', 'allow writing everything').conflicts(['spaces', 'starboards', 'credentials']))
    .option('--spaces <ids>', 'spaces that the token can write, with their sprints, points and quests: 40,41 or all')
    .option(
      '--starboards <ids>',
      'starboards that the token can write, with their users, samples and links: a,b or all',
    )
    .option('--credentials <ids>', 'credentials that the token can write, with their holders: 1,2 or all')
    .addOption(new Option('--expires <time>', 'when it expires, such as 2027-01-31T00:00:00Z (default: never)'))
    .action((options: CreateOptions) =>
      withDependencies(async (deps) => {
        const accountId = await namedAccount(deps, options.account)
        const wanted = (list: string | undefined) => (options.all ? 'all' : idsOf(list))
        const spaces = wanted(options.spaces)
        const form = {
          accountId,
          name: options.name,
          spaces: spaces === 'all' ? spaces : spaces?.map(Number),
          starboards: wanted(options.starboards),
          credentials: wanted(options.credentials),
          ...(options.expires === undefined ? {} : { expiresAt: new Date(options.expires) }),
        }
        show(await noteToken(deps, 'ingest-token.created', (within) => createIngestToken(within, form)))
      }),
    )

  token
    .command('regenerate')
    .description('give a token a new value; the old one is rejected at once')
    .argument('<id>', LISTED_ID)
    .action((id: string) =>
      withDependencies(async (deps) =>
        show(await noteToken(deps, 'ingest-token.regenerated', (within) => regenerateIngestToken(within, id))),
      ),
    )

  token
    .command('revoke')
    .argument('<id>', LISTED_ID)
    .description('revoke a token at once')
    .action((id: string) =>
      withDependencies(async (deps) => {
        const already = (await listIngestTokens(deps.database)).find(
          ({ tokenId, revokedAt }) => tokenId === id && revokedAt,
        )
        const record =
          already ??
          (
            await noteToken(deps, 'ingest-token.revoked', async (within) => ({
              record: await revokeIngestToken(within, id),
            }))
          ).record
        printDone(record, `${already ? 'Already revoked' : 'Revoked'}: "${record.name}" (${record.tokenId}).`)
      }),
    )

  token
    .command('list')
    .description('all ingest tokens, without their values')
    .action(() =>
      withDependencies(async ({ database }) => {
        printList(await listIngestTokens(database), {
          none: `No ingest tokens yet. ${toType('ingest-token create --name NAME --all')} creates one.`,
          lines: ({ tokenId, name, scope, expiresAt, revokedAt, lastUsedAt }) =>
            inBlock(
              [tokenId, name],
              [
                `spaces: ${listed(scope.spaceIds)}`,
                `starboards: ${listed(scope.starboardIds)}`,
                `credentials: ${listed(scope.credentialIds)}`,
                revokedAt ? `revoked ${iso(revokedAt)}` : expiresAt ? `expires ${iso(expiresAt)}` : 'does not expire',
                lastUsedAt ? `last used ${iso(lastUsedAt)}` : 'never used',
              ],
            ),
        })
      }),
    )

  return token
}

function idsOf(list: string | undefined): 'all' | string[] | undefined {
  if (list === undefined || list.trim() === 'all') return list === undefined ? undefined : 'all'
  return list
    .split(',')
    .map((id) => id.trim())
    .filter((id) => id !== '')
}

const listed = (ids: readonly (string | number)[] | null) => (ids === null ? 'all' : ids.join(',') || 'none')

function show({ token, record }: IssuedIngestToken): void {
  printSecret(
    { ...record, token },
    token,
    `Ingest token "${record.name}" (id ${record.tokenId}). Keep its value now: it is not stored and cannot be shown again.`,
  )
}

function iso(date: Date): string {
  return date.toISOString().slice(0, 19) + 'Z'
}
