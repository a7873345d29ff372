import { type Command, Option } from 'commander'
import { idFrom, toType } from '../settings/called-as.ts'
import {
  createToken,
  type IssuedToken,
  listServerTokens,
  regenerateToken,
  revokeToken,
  TokenInputError,
} from '../access/server-tokens.ts'
import { listAccounts } from './named-account.queries.ts'
import { ACCOUNT_OPTION, namedAccount } from './named-account.ts'
import { addMissingPlans } from '../access/plans.ts'
import type { Dependencies } from '../services.ts'
import { AREAS } from '../graphql/context.ts'
import { inBlock } from './columns.ts'
import { noteToken } from './note-token.ts'
import { OutputCommand, printDone, printList, printSecret } from './output.ts'

/** Runs the work of a command with an open database. */
export type WithDependencies = <Result>(work: (deps: Dependencies) => Promise<Result>) => Promise<Result>

const LISTED_ID = idFrom('token list')

interface CreateOptions {
  name: string
  account: string
  areas?: string
  plan: string
  expires?: string
  publishable?: boolean
  origins?: string
  spaces?: string
}

/** `questboard token …`: server tokens. */
export function tokenCommand(withDependencies: WithDependencies): Command {
  const token = new OutputCommand('token')

  token
    .command('create')
    .description('create a token; its value is printed once and cannot be shown again')
    .requiredOption('--name <name>', 'name of the token, 1 to 100 characters')
    .option('--account <account>', ACCOUNT_OPTION, 'default')
    .option(
      '--areas <list>',
      `areas that it can read, comma separated: ${AREAS.join(',')} (default: all; for a publishable token: space)`,
    )
    .option('--plan <plan>', 'plan of the token', 'free')
    .addOption(new Option('--expires <time>', 'when it expires, such as 2027-01-31T00:00:00Z (default: never)'))
    .option(
      '--publishable',
      'make a token that pages can contain; requires --origins; requires --spaces if its areas contain space or quest',
    )
    .option('--origins <list>', 'origins whose pages can use a publishable token: https://a.example,https://b.example')
    .option('--spaces <ids>', 'spaces that a publishable token can read, with their quests: 40,41')
    .action((options: CreateOptions) =>
      withDependencies(async (deps) => {
        await addMissingPlans(deps.database, deps.config)
        const wanted = await wantedToken(deps, options)
        show(await noteToken(deps, 'token.created', (within) => createToken(within, wanted)))
      }),
    )

  token
    .command('regenerate')
    .description('give a token a new value; the old one is rejected at once')
    .argument('<id>', LISTED_ID)
    .action((id: string) =>
      withDependencies(async (deps) =>
        show(await noteToken(deps, 'token.regenerated', (within) => regenerateToken(within, id))),
      ),
    )

  token
    .command('revoke')
    .argument('<id>', LISTED_ID)
    .description('revoke a token')
    .action((id: string) =>
      withDependencies(async (deps) => {
        const already = (await listServerTokens(deps.database)).find(
          ({ tokenId, revokedAt }) => tokenId === id && revokedAt,
        )
        const record =
          already ??
          (await noteToken(deps, 'token.revoked', async (within) => ({ record: await revokeToken(within, id) }))).record
        printDone(record, `${already ? 'Already revoked' : 'Revoked'}: "${record.name}" (${record.tokenId}).`)
      }),
    )

  token
    .command('list')
    .description('all tokens, without their values')
    .action(() =>
      withDependencies(async ({ database }) => {
        const tokens = await listServerTokens(database)
        const accounts = new Map((await listAccounts(database.kysely)).map(({ accountId, name }) => [accountId, name]))
        printList(tokens, {
          none: `No tokens yet. ${toType('token create --name NAME')} creates one.`,
          lines: ({ tokenId, accountId, name, plan, areas, origins, spaceIds, expiresAt, revokedAt, lastUsedAt }) =>
            inBlock(
              [tokenId, name],
              [
                `account ${accounts.get(accountId) ?? accountId}`,
                `plan ${plan}`,
                areas.join(', '),
                ...(origins
                  ? [`publishable at ${origins.join(', ')}`, `spaces: ${spaceIds?.join(', ') || 'none'}`]
                  : []),
                revokedAt ? `revoked ${iso(revokedAt)}` : expiresAt ? `expires ${iso(expiresAt)}` : 'does not expire',
                lastUsedAt ? `last used ${iso(lastUsedAt)}` : 'never used',
              ],
            ),
        })
      }),
    )

  return token
}

async function wantedToken(deps: Dependencies, options: CreateOptions) {
  const accountId = await namedAccount(deps, options.account)
  return {
    accountId,
    name: options.name,
    plan: options.plan,
    ...(options.areas === undefined ? {} : { areas: partsOf(options.areas) }),
    publishable: publishableScope(options),
    ...(options.expires === undefined ? {} : { expiresAt: new Date(options.expires) }),
  }
}

/** @throws TokenInputError if an option belongs to the other kind of token */
function publishableScope({ publishable, origins, spaces }: CreateOptions) {
  if (publishable) return { origins: partsOf(origins), spaces: partsOf(spaces).map(Number) }
  if (origins !== undefined || spaces !== undefined)
    throw new TokenInputError('publishable', 'Only publishable tokens have origins and spaces: add --publishable.')
  return undefined
}

const partsOf = (list = ''): string[] =>
  list
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')

function show({ token, record }: IssuedToken): void {
  printSecret(
    { ...record, token },
    token,
    `Token "${record.name}" (id ${record.tokenId}). Keep its value now: it is not stored and cannot be shown again.`,
  )
}

function iso(date: Date): string {
  return date.toISOString().slice(0, 19) + 'Z'
}
