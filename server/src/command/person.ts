import type { Command } from 'commander'
import { idFrom } from '../settings/called-as.ts'
import { siteOf } from '../settings/site.ts'
import { lockAccount } from '../accounts/account.queries.ts'
import { canonicalMember } from '../addresses/addresses.ts'
import type { Dependencies } from '../services.ts'
import { conflict, invalidField, notFound } from '../errors.ts'
import { audit, INSTALLATION, NO_NETWORK } from '../audit/audit.ts'
import { eraseAccount } from '../personal-data/erase-account.ts'
import { readUuid } from '../api/read-body.ts'
import { exportPerson } from '../personal-data/export-person.ts'
import { eraseAddress } from '../personal-data/erase-address.ts'
import { confirmed } from './confirm.ts'
import { requireOneOption } from './one-option.ts'
import { hint, OutputCommand, printDone, printResult } from './output.ts'
import type { WithDependencies } from './token.ts'
import { wrongFormat } from '../texts/faults.ts'

/** `questboard person …`: exports or erases the data of a person (docs/personal-data.md). */
export function personCommand(withDependencies: WithDependencies): Command {
  const person = new OutputCommand('person')

  person
    .command('export')
    .description('print all data about an account or an address as JSON')
    .option('--account <account id>', `${idFrom('account list')}; includes all proven addresses`)
    .option(
      '--address <address>',
      'an address as boards and lists show it: a wallet address of any chain, a mail address or a handle',
    )
    .option('--as-stored', 'use --address exactly as given, to find a spelling that an older version stored')
    .action((options: Named) =>
      withDependencies(async (deps) => {
        const who = readPerson(options)
        await recordExport(deps, who)
        const found = await exportPerson(deps.database.kysely, who, deps.clock.now(), siteOf(deps.config))
        if (!found) throw notFound('Account')
        printResult(found, JSON.stringify(found, null, 2))
      }),
    )

  person
    .command('erase')
    .description('delete an account with its data, or an address from boards, quests, starboard links and bans')
    .option('--account <account id>', `${idFrom('account list')}; published objects remain without an owner`)
    .option(
      '--address <address>',
      'an address as boards show it: a wallet address of any chain, a mail address or a handle',
    )
    .option('--as-stored', 'use --address exactly as given, to find a spelling that an older version stored')
    .option('--yes', 'do not ask for confirmation; required without a terminal')
    .action((options: Named & { yes?: true }) =>
      withDependencies(async (deps) => {
        const who = readPerson(options)
        if (!options.yes) await showAndAsk(deps, who)
        if (who.address !== undefined) {
          const { boards, quests, links, bans } = await eraseAddress(deps, who.address)
          printDone(
            { address: who.address, boards, quests, links, bans },
            boards + quests + links + bans === 0
              ? `No board, quest, starboard link or ban had ${who.address}: check the spelling.`
              : `${who.address} was deleted from boards (${boards}), quests (${quests}), starboard links (${links}) and bans (${bans}). For holder lists, handles and messages, see docs/personal-data.md.`,
          )
          return
        }
        const { accountId } = who
        const details = { account: accountId, by: 'command' }
        const entry = { accountId: INSTALLATION, network: NO_NETWORK, details }
        const isErased = await eraseAccount(deps, accountId, (transaction) =>
          audit(deps, { ...entry, event: 'person.account-erased' }, transaction),
        )
        if (!isErased) throw notFound('Account')
        printDone(
          { accountId, erased: true },
          `The account ${accountId} was deleted. Data under its addresses remains in spaces and lists: see docs/personal-data.md.`,
        )
      }),
    )

  return person
}

/** Records the export in the audit log, but not an exported address. @throws ApiError not_found */
async function recordExport(deps: Dependencies, { accountId }: Who): Promise<void> {
  const entry = { network: NO_NETWORK, details: { by: 'command' } }
  await deps.database.kysely.transaction().execute(async (trx) => {
    if (accountId === undefined)
      return audit(deps, { ...entry, accountId: INSTALLATION, event: 'person.address-exported' }, trx)
    if (!(await lockAccount(trx, accountId))) throw notFound('Account')
    return audit(deps, { ...entry, accountId, event: 'person.account-exported' }, trx)
  })
}

export class NotErasedError extends Error {
  override name = 'NotErasedError'
}

/** @throws NotErasedError unless the user confirms at a terminal */
async function showAndAsk({ database, clock, config }: Dependencies, who: Who): Promise<void> {
  const held = await exportPerson(database.kysely, who, clock.now(), siteOf(config))
  if (!held) throw notFound('Account')
  if (!process.stdin.isTTY)
    throw new NotErasedError('Nothing was erased: no terminal to ask for confirmation. Use --yes.')
  const { accounts = [], apps = [], spaces = [], starboards = [], credentials = [], ...rest } = held.account ?? {}
  if (apps.length > 0) throw conflict('owns_apps', 'Nothing was erased: the account owns apps. Delete them first.')
  if (who.address === undefined) {
    const name = accounts.map(({ name }) => String(name)).join()
    hint(`The account ${who.accountId} (${name}) will be deleted, with: ${inNumbers(rest)}.`)
    hint(`Objects that remain without an owner: ${inNumbers({ spaces, starboards, credentials })}.`)
  } else {
    hint(`Data under ${who.address}: ${inNumbers(held.underAddresses)}.`)
    hint('It will be deleted from boards, quests, starboard links and bans. For the rest, see docs/personal-data.md.')
  }
  if (!(await confirmed('Erase? It cannot be undone.'))) throw new NotErasedError('Nothing was erased.')
}

const inNumbers = (tables: Record<string, readonly unknown[]>): string =>
  Object.entries(tables)
    .flatMap(([table, { length }]) => (length === 0 ? [] : [`${table.replaceAll('_', ' ')} (${length})`]))
    .join(', ') || 'none'

type Who = { accountId: string; address?: never } | { accountId?: never; address: string }

interface Named {
  account?: string
  address?: string
  asStored?: true
}

function readPerson({ account, address, asStored }: Named): Who {
  requireOneOption({ account, address })
  if (account !== undefined) return { accountId: readUuid(account, 'Account') }
  const canonical = asStored ? address : canonicalMember(address as string)
  if (canonical === undefined)
    throw invalidField('address', 'must be an address of a chain, a mail address or a handle', wrongFormat('member'))
  return { address: canonical }
}
