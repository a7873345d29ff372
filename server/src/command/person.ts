import { Command, InvalidArgumentError } from 'commander'
import { toType } from './called-as.ts'
import { canonicalMember } from '../addresses.ts'
import { invalidField, notFound } from '../identity/api-error.ts'
import { endAccount } from '../identity/end-account.ts'
import { readUuid } from '../identity/read-body.ts'
import { exportPerson } from '../person/export-person.ts'
import { eraseAddress } from '../person/erase-address.ts'
import type { WithDependencies } from './token.ts'

/** `questboard person …`: what is held about somebody who asks for it, or asks for its end (docs/personal-data.md). */
export function personCommand(withDependencies: WithDependencies): Command {
  const person = new Command('person').description('what is held about a person: show it, delete it')

  person
    .command('export')
    .description('print everything that is held about an account, or under an address, as JSON')
    .option('--account <account id>', `as ${toType('account list')} shows it; with all addresses that it has proved`)
    .option(
      '--address <address>',
      'a wallet address, of whatever chain, a mail address or a handle, that boards and lists have',
    )
    .action((options: { account?: string; address?: string }) =>
      withDependencies(async ({ database, clock }) => {
        const found = await exportPerson(database.kysely, whoOf(options), clock.now())
        if (!found) throw notFound('Account')
        console.log(JSON.stringify(found, null, 2))
      }),
    )

  person
    .command('erase')
    .description('delete an account with everything of it, or an address from boards, quests and links of starboards')
    .option(
      '--account <account id>',
      `as ${toType('account list')} shows it; what it published stays, without an owner`,
    )
    .option('--address <address>', 'a wallet address, of whatever chain, a mail address or a handle, that boards have')
    .action((options: { account?: string; address?: string }) =>
      withDependencies(async (deps) => {
        const who = whoOf(options)
        if (who.address !== undefined) {
          const { boards, quests, links } = await eraseAddress(deps, who.address)
          console.log(
            `${who.address} is gone from boards (${boards}), quests (${quests}) and links of starboards (${links}). Holder lists, handles and messages: docs/personal-data.md.`,
          )
          return
        }
        const { accountId } = who
        if (!(await endAccount(deps, accountId))) throw notFound('Account')
        console.log(
          `The account ${accountId} is deleted. What stands under its addresses is the spaces' and lists': docs/personal-data.md.`,
        )
      }),
    )

  return person
}

function whoOf({
  account,
  address,
}: {
  account?: string
  address?: string
}): { accountId: string; address?: never } | { address: string } {
  if ((account === undefined) === (address === undefined))
    throw new InvalidArgumentError('Give --account or --address, one of them.')
  if (account !== undefined) return { accountId: readUuid(account, 'Account') }
  const canonical = canonicalMember(address as string)
  if (canonical === undefined)
    throw invalidField('address', 'must be an address of a chain, a mail address or a handle')
  return { address: canonical }
}
