import { type Command, InvalidArgumentError } from 'commander'
import { toType } from './called-as.ts'
import { giveSpace, listAccounts } from './named-account.queries.ts'
import { accountExists } from '../access/server-tokens.queries.ts'
import { TokenInputError } from '../access/server-tokens.ts'
import { audit, NO_NETWORK } from '../audit/audit.ts'
import { inBlock } from './columns.ts'
import { OutputCommand, printDone, printList } from './output.ts'
import type { WithDependencies } from './token.ts'

/** `questboard account …`: the owners of tokens and spaces. */
export function accountCommand(withDependencies: WithDependencies): Command {
  const account = new OutputCommand('account')

  account
    .command('list')
    .description('all accounts: id, name, live server access tokens, spaces')
    .action(() =>
      withDependencies(async ({ database }) => {
        printList(await listAccounts(database.kysely), {
          none: `No accounts yet. ${toType('token create --name NAME')} creates one.`,
          lines: ({ accountId, name, tokens, spaces }) =>
            inBlock([accountId, name], [`tokens ${tokens}`, `spaces ${spaces.join(', ') || '-'}`]),
        })
      }),
    )

  account
    .command('give-space')
    .description("make an account the owner of a space: its tokens may read the space's private quests")
    .argument('<account id>', `as ${toType('account list')} shows it`)
    .argument('<space id>', 'the numeric id of the space', wholeNumber)
    .action((accountId: string, spaceId: number) =>
      withDependencies(async (deps) => {
        const { database } = deps
        const isId = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(accountId)
        if (!isId || !(await accountExists(database.kysely, accountId)))
          throw new TokenInputError(
            'account',
            `Account "${accountId}" does not exist. \`questboard account list\` lists the accounts.`,
          )
        await database.kysely.transaction().execute(async (trx) => {
          if (!(await giveSpace(trx, spaceId, accountId)))
            throw new TokenInputError('space', `Space ${spaceId} does not exist. \`questboard import\` imports spaces.`)
          const details = { space: String(spaceId), by: 'command' }
          await audit(deps, { accountId, event: 'space.given', details, network: NO_NETWORK }, trx)
        })
        printDone({ spaceId, accountId }, `Space ${spaceId} belongs to ${accountId} now.`)
      }),
    )

  return account
}

function wholeNumber(text: string): number {
  const value = Number(text)
  if (!Number.isInteger(value) || value < 1 || value > 2_147_483_647)
    throw new InvalidArgumentError('It must be a whole number from 1 to 2147483647.')
  return value
}
