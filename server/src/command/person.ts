import { type Command, InvalidArgumentError } from 'commander'
import { toType } from './called-as.ts'
import { canonicalMember } from '../addresses/addresses.ts'
import type { Dependencies } from '../dependencies.ts'
import { conflict, invalidField, notFound } from '../api/api-error.ts'
import { audit, INSTALLATION, NO_NETWORK } from '../audit/audit.ts'
import { endAccount } from '../person/end-account.ts'
import { readUuid } from '../api/read-body.ts'
import { exportPerson } from '../person/export-person.ts'
import { eraseAddress } from '../person/erase-address.ts'
import { confirmed } from './confirm.ts'
import { hint, OutputCommand, printDone, printResult } from './output.ts'
import type { WithDependencies } from './token.ts'

/** `questboard person …`: what is held about somebody who asks for it, or asks for its end (docs/personal-data.md). */
export function personCommand(withDependencies: WithDependencies): Command {
  const person = new OutputCommand('person')

  person
    .command('export')
    .description('print everything that is held about an account, or under an address, as JSON')
    .option('--account <account id>', `as ${toType('account list')} shows it; with all addresses that it has proved`)
    .option(
      '--address <address>',
      'a wallet address, of whatever chain, a mail address or a handle, that boards and lists have',
    )
    .option('--as-stored', 'take --address letter by letter: for a spelling that an older version stored')
    .action((options: Named) =>
      withDependencies(async ({ database, clock }) => {
        const found = await exportPerson(database.kysely, whoOf(options), clock.now())
        if (!found) throw notFound('Account')
        printResult(found, JSON.stringify(found, null, 2))
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
    .option('--as-stored', 'take --address letter by letter: for a spelling that an older version stored')
    .option('--yes', 'do not ask; needed where nobody sits at a terminal')
    .action((options: Named & { yes?: true }) =>
      withDependencies(async (deps) => {
        const who = whoOf(options)
        if (!options.yes) await showAndAsk(deps, who)
        if (who.address !== undefined) {
          const { boards, quests, links } = await eraseAddress(deps, who.address)
          printDone(
            { address: who.address, boards, quests, links },
            boards + quests + links === 0
              ? `No board, quest or link of a starboard had ${who.address}: look whether it is spelled as it is there.`
              : `${who.address} is gone from boards (${boards}), quests (${quests}) and links of starboards (${links}). Holder lists, handles and messages: docs/personal-data.md.`,
          )
          return
        }
        const { accountId } = who
        const details = { account: accountId, by: 'command' }
        const entry = { accountId: INSTALLATION, network: NO_NETWORK, details }
        const isErased = await endAccount(deps, accountId, (transaction) =>
          audit(deps, { ...entry, event: 'person.account-erased' }, transaction),
        )
        if (!isErased) throw notFound('Account')
        printDone(
          { accountId, erased: true },
          `The account ${accountId} is deleted. What stands under its addresses is the spaces' and lists': docs/personal-data.md.`,
        )
      }),
    )

  return person
}

/** Nothing was erased. */
export class NotErasedError extends Error {
  override name = 'NotErasedError'
}

/** @throws NotErasedError unless somebody at a terminal agrees */
async function showAndAsk({ database, clock }: Dependencies, who: Who): Promise<void> {
  const held = await exportPerson(database.kysely, who, clock.now())
  if (!held) throw notFound('Account')
  if (!process.stdin.isTTY)
    throw new NotErasedError('Nothing was erased: nobody is here to be asked. Give --yes if it is meant.')
  const { accounts = [], apps = [], spaces = [], starboards = [], credentials = [], ...rest } = held.account ?? {}
  if (apps.length > 0) throw conflict('owns_apps', 'Nothing was erased: the account owns apps. Delete them first.')
  if (who.address === undefined) {
    hint(`The account ${who.accountId} (${accounts.map(({ name }) => String(name)).join()}) goes, with its`)
    hint(`  ${inNumbers(rest)}`)
    hint(`What it owns stays, without an owner: ${inNumbers({ spaces, starboards, credentials })}.`)
  } else {
    hint(`Held under ${who.address}: ${inNumbers(held.underAddresses)}.`)
    hint('It leaves boards, quests and links of starboards. The rest goes otherwise: docs/personal-data.md.')
  }
  if (!(await confirmed('Erase? It cannot be undone.'))) throw new NotErasedError('Nothing was erased.')
}

const inNumbers = (tables: Record<string, readonly unknown[]>): string =>
  Object.entries(tables)
    .flatMap(([table, { length }]) => (length === 0 ? [] : [`${table.replaceAll('_', ' ')} (${length})`]))
    .join(', ') || 'nothing'

type Who = { accountId: string; address?: never } | { address: string }

interface Named {
  account?: string
  address?: string
  asStored?: true
}

function whoOf({ account, address, asStored }: Named): Who {
  if ((account === undefined) === (address === undefined))
    throw new InvalidArgumentError('Give --account or --address, one of them.')
  if (account !== undefined) return { accountId: readUuid(account, 'Account') }
  const canonical = asStored ? address : canonicalMember(address as string)
  if (canonical === undefined)
    throw invalidField('address', 'must be an address of a chain, a mail address or a handle')
  return { address: canonical }
}
