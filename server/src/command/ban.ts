import { type Command, InvalidArgumentError } from 'commander'
import { canonicalMember } from '../addresses/addresses.ts'
import { SHORT_ID } from '../addresses/short-id.ts'
import { readBody, readUuid } from '../api/read-body.ts'
import { banRequestShape } from '../bans/ban-request.ts'
import { BY_COMMAND, ensureBan, type InTransaction, liftBan, listBans, showBan } from '../bans/bans.ts'
import type { Ban } from '../bans/bans.queries.ts'
import { type Board, boardsOfBan } from '../bans/subject.ts'
import { invalidField } from '../errors.ts'
import { idFrom } from '../settings/called-as.ts'
import type { Dependencies } from '../services.ts'
import { wrongFormat } from '../texts/faults.ts'
import { inBlock } from './columns.ts'
import { EXISTING_ACCOUNT, existingAccount } from './named-account.ts'
import { requireOneOption } from './one-option.ts'
import { AFTER_DESCRIPTION, hint, OutputCommand, printDone, printList, printResult } from './output.ts'
import type { WithDependencies } from './token.ts'

interface CreateOptions {
  account?: string
  address?: string
  space?: number
  reason: string
  until?: string
}

interface ListOptions {
  account?: string
  address?: string
  space?: number
  ended?: true
  first: number
  after?: string
}

/** `questboard ban …`: excludes accounts and addresses from boards, claims and snapshots (docs/bans.md). */
export function banCommand(withDependencies: WithDependencies): Command {
  const ban = new OutputCommand('ban')

  ban
    .command('create')
    .description('ban an account with all its addresses, or one address')
    .option('--account <id or name>', `${EXISTING_ACCOUNT}: all its addresses, including those that it links later`)
    .option(
      '--address <address>',
      'an address as boards show it: a wallet address of any chain, a mail address or a handle',
    )
    .option('--space <id>', 'only in this space; default: in all spaces', readSpaceId)
    .requiredOption(
      '--reason <text>',
      'the reason, 1 to 500 characters; operators can read it, and the data export of the person contains it',
    )
    .option('--until <time>', 'the end, such as 2026-12-31T00:00:00Z; default: when you lift it')
    .action(({ account, address, space, reason, until }: CreateOptions) =>
      withDependencies(async (deps) => {
        requireOneOption({ account, address })
        const id = account === undefined ? undefined : (await existingAccount(deps.database, account)).id
        const request = readBody(banRequestShape, { account: id, address, spaceId: space, reason, endsAt: until })
        const { ban: stored, isNew } = await ensureBan(deps, request, BY_COMMAND, transactionOf(deps))
        const boards = await boardsOfBan(deps.database.kysely, stored)
        if (!isNew) return printDone({ ...stored, boards }, `The ban ${stored.id} is the same; nothing was changed.`)
        printResult({ ...stored, boards }, `${block(stored)}\n    ${describeSpaces(stored, boards)}`)
      }),
    )

  ban
    .command('list')
    .description('bans that have not ended, newest first')
    .option('--account <id or name>', `only bans of this account: ${EXISTING_ACCOUNT}`)
    .option('--address <address>', 'only bans that cover this address; with --ended: only bans of the address itself')
    .option('--space <id>', 'only bans that apply in this space, including those for all spaces', readSpaceId)
    .option('--ended', 'list the bans that have ended instead')
    .option('--first <n>', 'page size, 1 to 1000', readCount, 100)
    .option('--after <position>', AFTER_DESCRIPTION)
    .action(({ account, address, space, ended, first, after }: ListOptions) =>
      withDependencies(async (deps) => {
        const found = account === undefined ? undefined : await existingAccount(deps.database, account)
        const filter = {
          spaceId: space,
          accountId: found?.id,
          address: address === undefined ? undefined : readMember(address),
          state: ended ? 'ended' : 'active',
        } as const
        const page = { first, after: after === undefined ? undefined : readUuid(after, 'Ban') }
        const { items, next } = await listBans(deps, filter, page)
        printList(items, { none: 'No bans.', lines: block })
        if (next !== null) hint(`More: --after ${next}`)
      }),
    )

  ban
    .command('lift')
    .description('end a ban; the banned addresses return to the boards with all their points')
    .argument('<id>', idFrom('ban list'))
    .action((id: string) =>
      withDependencies(async (deps) => {
        const before = await showBan(deps, readUuid(id, 'Ban'))
        if (before.endedAt !== null)
          return printDone(before, `The ban ${before.id} has already ended; nothing was changed.`)
        const lifted = await liftBan(deps, before.id, BY_COMMAND, transactionOf(deps))
        printDone(lifted, `Lifted the ban ${lifted.id} of ${subjectOf(lifted)}.`)
      }),
    )

  return ban
}

/** @throws ApiError */
function readMember(address: string): string {
  const canonical = canonicalMember(address)
  if (canonical === undefined)
    throw invalidField('address', 'must be an address of a chain, a mail address or a handle', wrongFormat('member'))
  return canonical
}

const MAX_SHOWN_SPACES = 10

const transactionOf =
  ({ database }: Dependencies): InTransaction =>
  (work) =>
    database.kysely.transaction().execute(work)

const subjectOf = ({ account, address }: Ban): string =>
  account === null ? (address ?? '') : `account ${account.username ?? account.id}`

function block(ban: Ban): string {
  const { id, addresses, spaceId, reason, createdAt, endsAt, endedAt, endCause } = ban
  return inBlock(
    [id, subjectOf(ban), spaceId === null ? 'all spaces' : `space ${spaceId}`],
    [
      `since ${createdAt.toISOString()}`,
      endedAt === null ? `until ${endsAt?.toISOString() ?? 'lifted'}` : `${endCause} ${endedAt.toISOString()}`,
      ...(endedAt === null ? [`addresses ${addresses.length}`] : []),
      reason,
    ],
  )
}

/** Shows the spaces in which the addresses have points, so that a mistyped address is noticed. */
function describeSpaces({ address }: Ban, boards: readonly Board[]): string {
  if (boards.length === 0)
    return `no points in the spaces of this ban${address !== null && SHORT_ID.test(address) ? '; the short ID of a board is not an address' : ''}`
  const ids = boards.slice(0, MAX_SHOWN_SPACES).map(({ spaceId }) => spaceId)
  return `points in ${boards.length} ${boards.length === 1 ? 'space' : 'spaces'}: ${ids.join(', ')}${boards.length > MAX_SHOWN_SPACES ? ', …' : ''}`
}

function readSpaceId(text: string): number {
  if (!/^[1-9]\d{0,9}$/.test(text) || Number(text) > 2_147_483_647)
    throw new InvalidArgumentError('It must be the id of a space.')
  return Number(text)
}

function readCount(text: string): number {
  if (!/^[1-9][0-9]{0,3}$/.test(text) || Number(text) > 1_000)
    throw new InvalidArgumentError('It must be a whole number from 1 to 1000.')
  return Number(text)
}
