import { type Command, InvalidArgumentError } from 'commander'
import type { Transaction } from 'kysely'
import { lockAccount } from '../accounts/account.queries.ts'
import { findSuspension } from '../accounts/suspension.queries.ts'
import type { DB } from '../database/tables.ts'
import { notFound } from '../errors.ts'
import { checkedReason, resumeAccount, suspendAccount } from '../people/suspension.ts'
import type { Dependencies } from '../services.ts'
import { idFrom, toType } from '../settings/called-as.ts'
import { EXISTING_ACCOUNT, existingAccount, isId } from './named-account.ts'
import { listAccounts } from './named-account.queries.ts'
import { storeSpaceOwner } from '../teams/members.queries.ts'
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
    .description('all accounts: id, name, number of server tokens that are not revoked, spaces, suspension')
    .action(() =>
      withDependencies(async ({ database }) => {
        printList(await listAccounts(database.kysely), {
          none: `No accounts yet. ${toType('token create --name NAME')} creates one.`,
          lines: ({ accountId, name, tokens, spaces, suspendedAt }) =>
            inBlock(
              [accountId, name],
              [
                `tokens ${tokens}`,
                `spaces ${spaces.join(', ') || '-'}`,
                ...(suspendedAt ? [`suspended ${suspendedAt.toISOString()}`] : []),
              ],
            ),
        })
      }),
    )

  account
    .command('suspend')
    .description('end the sessions of an account, refuse its sign-ins and tokens, and disable its webhooks')
    .argument('<account>', EXISTING_ACCOUNT)
    .requiredOption('--reason <text>', 'the reason, 1 to 500 characters, for operators')
    .action((name: string, options: { reason: string }) =>
      withDependencies(async (deps) => {
        const reason = checkedReason(options.reason)
        const { id, username } = await existingAccount(deps.database, name)
        const done = await locked(deps, id, async (trx) => {
          const before = await findSuspension(trx, id)
          // Another reason is a change, which suspendAccount refuses.
          if (before?.reason === reason) return { ...before, sessions: 0, webhooks: 0, isRepeated: true }
          return { ...(await suspendAccount(deps, trx, id, reason, BY_COMMAND)), isRepeated: false }
        })
        const { isRepeated, ...suspended } = done
        printDone(
          { accountId: id, ...suspended },
          isRepeated
            ? `${username} (${id}) is already suspended; nothing was changed.`
            : `${username} (${id}) is suspended: sessions ${done.sessions}, webhooks ${done.webhooks}. Its tokens are refused.`,
        )
      }),
    )

  account
    .command('resume')
    .description('end the suspension of an account; its webhooks stay disabled')
    .argument('<account>', EXISTING_ACCOUNT)
    .action((name: string) =>
      withDependencies(async (deps) => {
        const { id, username } = await existingAccount(deps.database, name)
        const isResumed = await locked(deps, id, async (trx) => {
          if (!(await findSuspension(trx, id))) return false
          await resumeAccount(deps, trx, id, BY_COMMAND)
          return true
        })
        printDone(
          { accountId: id, suspendedAt: null },
          isResumed
            ? `${username} (${id}) is no longer suspended.`
            : `${username} (${id}) is not suspended; nothing was changed.`,
        )
      }),
    )

  account
    .command('give-space')
    .description("make an account the owner of a space: its tokens may read the space's private quests")
    .argument('<account id>', idFrom('account list'))
    .argument('<space id>', 'the numeric id of the space', parseSpaceId)
    .action((accountId: string, spaceId: number) =>
      withDependencies(async (deps) => {
        const { database } = deps
        if (!isId(accountId) || !(await accountExists(database.kysely, accountId)))
          throw new TokenInputError(
            'account',
            `Account "${accountId}" does not exist. \`questboard account list\` lists the accounts.`,
          )
        await database.kysely.transaction().execute(async (trx) => {
          if (!(await storeSpaceOwner(trx, spaceId, accountId)))
            throw new TokenInputError('space', `Space ${spaceId} does not exist. \`questboard import\` imports spaces.`)
          const details = { space: String(spaceId), by: 'command' }
          await audit(deps, { accountId, event: 'space.given', details, network: NO_NETWORK }, trx)
        })
        printDone({ spaceId, accountId }, `Space ${spaceId} belongs to ${accountId} now.`)
      }),
    )

  return account
}

const BY_COMMAND = { network: NO_NETWORK, by: 'command' } as const

function locked<Result>(
  { database }: Dependencies,
  accountId: string,
  work: (trx: Transaction<DB>) => Promise<Result>,
): Promise<Result> {
  return database.kysely.transaction().execute(async (trx) => {
    if (!(await lockAccount(trx, accountId))) throw notFound('Account')
    return work(trx)
  })
}

function parseSpaceId(text: string): number {
  const value = Number(text)
  if (!Number.isInteger(value) || value < 1 || value > 2_147_483_647)
    throw new InvalidArgumentError('It must be a whole number from 1 to 2147483647.')
  return value
}
