import { Argument, type Command } from 'commander'
import { toType } from './called-as.ts'
import { findAccountName, listOperators, lockAccount, setOperator } from '../accounts/account.queries.ts'
import { apiError } from '../api/api-error.ts'
import { audit, NO_NETWORK } from '../audit/audit.ts'
import { readUuid } from '../api/read-body.ts'
import { createServices, nowOf } from '../services.ts'
import { inBlock } from './columns.ts'
import { OutputCommand, printDone, printList } from './output.ts'
import { withdrawOperator } from './withdraw-operator.ts'
import type { WithDependencies } from './token.ts'

/** `questboard operator …`: who may decide about apps in the dashboard. */
export function operatorCommand(withDependencies: WithDependencies): Command {
  const operator = new OutputCommand('operator')

  operator
    .command('list')
    .description('all operators')
    .action(() =>
      withDependencies(async ({ database }) => {
        printList(await listOperators(database.kysely), {
          none: `No operators. ${toType('operator grant ACCOUNT_ID')} makes one.`,
          lines: ({ accountId, name }) => inBlock([accountId, name], []),
        })
      }),
    )

  for (const verb of ['grant', 'withdraw'] as const)
    operator
      .command(verb)
      .description(verb === 'grant' ? 'make an account an operator' : 'take it back')
      .addArgument(new Argument('<account id>', 'GET /api/session shows it to its owner'))
      .action((text: string) =>
        withDependencies(async (deps) => {
          const services = createServices(deps)
          const accountId = readUuid(text, 'Account')
          const name = await findAccountName(deps.database.kysely, accountId)
          if (name === undefined) throw noAccount(text)
          const record = { accountId, name, operator: verb === 'grant' }
          const operators = await listOperators(deps.database.kysely)
          if (verb === 'grant' && operators.some((operator) => operator.accountId === accountId))
            return printDone(record, `${name} (${accountId}) is an operator already.`)
          const ended = await deps.database.kysely.transaction().execute(async (transaction) => {
            if (!(await lockAccount(transaction, accountId))) throw noAccount(text)
            if (verb === 'grant') await setOperator(transaction, accountId, nowOf(services))
            const withdrawn = verb === 'withdraw' ? await withdrawOperator(deps, transaction, accountId) : undefined
            const event = verb === 'grant' ? 'account.operator-granted' : 'account.operator-withdrawn'
            await audit(services, { accountId, event, network: NO_NETWORK }, transaction)
            return withdrawn
          })
          const withIt = ended
            ? `\nEnded with it: ingest tokens ${ended.ingestTokens}, plans of tokens ${ended.plans}, webhooks ${ended.webhooks}.`
            : ''
          printDone(
            { ...record, ...(ended && { ended }) },
            `${name} (${accountId}) is ${verb === 'grant' ? 'now' : 'no longer'} an operator.${withIt}`,
          )
        }),
      )

  return operator
}

const noAccount = (id: string) =>
  apiError('NOT_FOUND', `There is no account with the id "${id}". \`questboard account list\` shows them.`)
