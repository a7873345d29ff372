import { Argument, type Command } from 'commander'
import { idFrom, toType } from '../settings/called-as.ts'
import { findAccountName, listOperators, lockAccount, setOperator } from '../accounts/account.queries.ts'
import { inviteOperator } from '../accounts/operator-invitations.ts'
import { ApiError } from '../errors.ts'
import { OPERATOR_LINK_LIFETIME } from '../lifetimes.ts'
import { audit, INSTALLATION, NO_NETWORK } from '../audit/audit.ts'
import { readUuid } from '../api/read-body.ts'
import { type Withdrawal, withdrawOperator } from '../people/withdraw-operator.ts'
import { createServices, nowOf } from '../services.ts'
import { inBlock } from './columns.ts'
import { OutputCommand, printDone, printList, printSecret } from './output.ts'
import type { WithDependencies } from './token.ts'

/** `questboard operator …`: lists, grants and revokes operator rights. */
export function operatorCommand(withDependencies: WithDependencies): Command {
  const operator = new OutputCommand('operator')

  operator
    .command('list')
    .description('all operators')
    .action(() =>
      withDependencies(async ({ database }) => {
        printList(await listOperators(database.kysely), {
          none: `No operators. ${toType('operator invite')} prints a link for the first one.`,
          lines: ({ accountId, name }) => inBlock([accountId, name], []),
        })
      }),
    )

  for (const verb of ['grant', 'withdraw'] as const)
    operator
      .command(verb)
      .description(verb === 'grant' ? 'make an account an operator' : 'revoke operator rights')
      .addArgument(new Argument('<account id>', idFrom('account list')))
      .action((text: string) =>
        withDependencies(async (deps) => {
          const services = createServices(deps)
          const accountId = readUuid(text, 'Account')
          const name = await findAccountName(deps.database.kysely, accountId)
          if (name === undefined) throw noAccount(text)
          const record = { accountId, name, operator: verb === 'grant' }
          const operators = await listOperators(deps.database.kysely)
          const isOperator = operators.some((operator) => operator.accountId === accountId)
          if (isOperator === (verb === 'grant'))
            return printDone(record, `${name} (${accountId}) is ${isOperator ? 'already' : 'not'} an operator.`)
          const withdrawal = await deps.database.kysely.transaction().execute(async (transaction) => {
            if (!(await lockAccount(transaction, accountId))) throw noAccount(text)
            if (verb === 'withdraw')
              return withdrawOperator(deps, transaction, accountId, { network: NO_NETWORK, by: 'command' })
            await setOperator(transaction, accountId, nowOf(services))
            await audit(services, { accountId, event: 'account.operator-granted', network: NO_NETWORK }, transaction)
            return undefined
          })
          const done = `${name} (${accountId}) is ${verb === 'grant' ? 'now' : 'no longer'} an operator.`
          printDone({ ...record, ...withdrawal }, withdrawal ? `${done}\n${describe(withdrawal)}` : done)
        }),
      )

  operator
    .command('invite')
    .description('print a one-time link; the account that opens it becomes an operator')
    .action(() =>
      withDependencies(async (deps) => {
        const services = createServices(deps)
        const { url, expiresAt } = await deps.database.kysely.transaction().execute(async (trx) => {
          const details = { by: 'command' }
          await audit(
            services,
            { accountId: INSTALLATION, event: 'operator.invited', network: NO_NETWORK, details },
            trx,
          )
          return inviteOperator({ ...services, database: { kysely: trx } }, OPERATOR_LINK_LIFETIME)
        })
        const expires = expiresAt.toISOString()
        printSecret({ url, expiresAt: expires }, url, `Valid once, until ${expires}. Send it only to the new operator.`)
      }),
    )

  return operator
}

function describe({ ended, kept }: Withdrawal): string {
  const { ingestTokens, plans, webhooks } = ended
  const lines = [`Also ended: ingest tokens ${ingestTokens}, plans of tokens ${plans}, webhooks ${webhooks}.`]
  if (kept.length > 0) lines.push('Plans that it assigned to tokens of other accounts remain:')
  for (const { tokenId, plan, accountId } of kept) lines.push(`  ${tokenId}  plan ${plan}, account ${accountId}`)
  return lines.join('\n')
}

const noAccount = (id: string) =>
  new ApiError('not_found', `No account has the id "${id}". \`questboard account list\` lists the accounts.`)
