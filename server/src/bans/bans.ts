import { isPartOfAddress, WHOLE_ADDRESS } from '../addresses/addresses.ts'
import { fault, wrongFormat } from '../texts/faults.ts'
import type { Kysely, Transaction } from 'kysely'
import { findAccountByName, lockAccount } from '../accounts/account.queries.ts'
import { audit, type AuditEntry, INSTALLATION, NO_NETWORK } from '../audit/audit.ts'
import type { DB } from '../database/tables.ts'
import { ApiError, conflict, invalidField, notFound } from '../errors.ts'
import { tryToUpdateProfiles } from '../ranking/profile-changes.ts'
import { spacesOfMember } from '../ranking/boards-removal.queries.ts'
import { noteAddresses } from '../ranking/profile-changes.queries.ts'
import { nowOf, type Services } from '../services.ts'
import type { BanRequest } from './ban-request.ts'
import {
  addAddresses,
  type Ban,
  type BanFilter,
  dueBans,
  endBan,
  findSameBan,
  insertBan,
  lockAddress,
  selectBans,
  spaceExists,
} from './bans.queries.ts'
import { addressesOfAccount } from './coverage.queries.ts'

export type BanDependencies = Pick<Services, 'clock' | 'random' | 'log'> & { database: { kysely: Kysely<DB> } }

/**
 * Runs work in a transaction of the caller, such as withOperator. If it locks accounts, it also locks `accountId`, in the
 * order of IDs: a later lock could deadlock.
 */
export type InTransaction = <Result>(
  work: (trx: Transaction<DB>) => Promise<Result>,
  accountId?: string,
) => Promise<Result>

/** The operator who changes bans, for the audit log; without an account, a command. */
export interface BanAuthor {
  accountId: string | null
  network: string
}

export const BY_COMMAND: BanAuthor = { accountId: null, network: NO_NETWORK }

/**
 * Bans an account or an address. The ban is in effect for claims when the transaction commits. The boards are
 * updated directly after it. A board that a large import has locked is updated when the import ends.
 * @throws ApiError not_found, invalid_argument, already_banned
 */
export async function createBan(
  deps: BanDependencies,
  request: BanRequest,
  author: BanAuthor,
  inTransaction: InTransaction,
): Promise<Ban> {
  const id = deps.random.uuid()
  const { spaceId, reason } = request
  const endsAt = request.endsAt === null ? null : new Date(request.endsAt)
  const account = request.account === undefined ? undefined : await namedAccount(deps, request.account)
  const addresses = await inTransaction(async (trx) => {
    const createdAt = nowOf(deps)
    if (endsAt !== null && endsAt <= createdAt)
      throw invalidField('endsAt', `must be in the future; now: ${createdAt.toISOString()}`, fault('not_in_future'))
    if (spaceId !== null && !(await spaceExists(trx, spaceId))) throw notFound('Space')
    // Locked, so that an identity that is linked at the same time is banned too.
    if (account && !(await lockAccount(trx, account.id))) throw notFound('Account')
    const accountId = account?.id ?? null
    if (request.address !== undefined) await lockAddress(trx, request.address)
    const subject = { accountId, address: request.address ?? null, spaceId }
    const same = await findSameBan(trx, subject)
    if (same !== undefined)
      throw conflict(
        'already_banned',
        `The ban ${same} has the same subject; lift it first to change the reason or the end`,
      )
    if (request.address !== undefined) await requireWholeAddress(trx, request.address)
    await insertBan(trx, { id, ...subject, reason, createdAt, createdBy: author.accountId, endsAt })
    const banned = accountId === null ? [request.address as string] : await addressesOfAccount(trx, accountId)
    await addAddresses(trx, id, spaceId, banned)
    await noteAddresses(trx, banned)
    await note(deps, trx, 'ban.created', author, { id, spaceId, ...(endsAt && { endsAt }) })
    return banned
  }, account?.id)
  await tryToUpdateProfiles(deps, addresses)
  return showBan(deps, id)
}

/**
 * Creates a ban like createBan, or finds the one with the same subject, reason and end. Concurrent calls create one ban.
 * @param request names an account by its ID
 * @throws ApiError like createBan; already_banned only if the reason or the end differs
 */
export async function ensureBan(
  deps: BanDependencies,
  request: BanRequest,
  author: BanAuthor,
  inTransaction: InTransaction,
): Promise<{ ban: Ban; isNew: boolean }> {
  try {
    return { ban: await createBan(deps, request, author, inTransaction), isNew: true }
  } catch (error) {
    const isBanned = error instanceof ApiError && error.code === 'already_banned'
    const ban = isBanned ? await findEqualBan(deps, request) : undefined
    if (ban === undefined) throw error
    return { ban, isNew: false }
  }
}

async function findEqualBan(deps: BanDependencies, request: BanRequest): Promise<Ban | undefined> {
  const { account = null, address = null, spaceId, reason, endsAt } = request
  const id = await findSameBan(deps.database.kysely, { accountId: account, address, spaceId })
  const same = id === undefined ? undefined : await showBan(deps, id)
  const end = endsAt === null ? null : Date.parse(endsAt)
  return same?.reason === reason && (same.endsAt?.getTime() ?? null) === end ? same : undefined
}

/** Lifts a ban. @throws ApiError not_found, ban_ended */
export async function liftBan(
  deps: BanDependencies,
  id: string,
  author: BanAuthor,
  inTransaction: InTransaction,
): Promise<Ban> {
  const addresses = await inTransaction(async (trx) => {
    const ended = await endBan(trx, id, { at: nowOf(deps), by: author.accountId, cause: 'lifted' })
    if (!ended) {
      await showBan({ database: { kysely: trx } }, id)
      throw conflict('ban_ended', 'The ban has already ended')
    }
    await noteAddresses(trx, ended.addresses)
    await note(deps, trx, 'ban.lifted', author, { id, spaceId: ended.spaceId })
    return ended.addresses
  })
  await tryToUpdateProfiles(deps, addresses)
  return showBan(deps, id)
}

const BATCH_SIZE = 100

/** Ends bans whose time has ended. @returns the number of ended bans */
export async function endDueBans(deps: BanDependencies, now: number): Promise<number> {
  const due = await dueBans(deps.database.kysely, new Date(now), BATCH_SIZE)
  let ended = 0
  for (const id of due) {
    const addresses = await deps.database.kysely.transaction().execute(async (trx) => {
      const over = await endBan(trx, id, { at: new Date(now), by: null, cause: 'expired' })
      if (!over) return undefined
      await noteAddresses(trx, over.addresses)
      const author = { accountId: null, network: NO_NETWORK }
      await note(deps, trx, 'ban.expired', author, { id, spaceId: over.spaceId })
      return over.addresses
    })
    if (addresses === undefined) continue
    ended++
    await tryToUpdateProfiles(deps, addresses)
  }
  return ended
}

/** Newest first. @param after the `next` of the previous page */
export async function listBans(
  { database }: { database: { kysely: Kysely<DB> } },
  filter: BanFilter,
  { first, after }: { first: number; after?: string | undefined },
): Promise<{ items: Ban[]; next: string | null }> {
  const bans = await selectBans(database.kysely, filter, { limit: first + 1, after })
  const items = bans.slice(0, first)
  return { items, next: bans.length > first ? (items.at(-1)?.id ?? null) : null }
}

/** @throws ApiError not_found */
export async function showBan({ database }: { database: { kysely: Kysely<DB> } }, id: string): Promise<Ban> {
  const [ban] = await selectBans(database.kysely, {}, { id, limit: 1 })
  if (!ban) throw notFound('Ban')
  return ban
}

/** A ban of a mistyped address has no effect. Members of boards with such a name can be banned. @throws ApiError */
async function requireWholeAddress(trx: Transaction<DB>, address: string): Promise<void> {
  if (isPartOfAddress(address) && (await spacesOfMember(trx, address)).length === 0)
    throw invalidField('address', `must be ${WHOLE_ADDRESS}`, wrongFormat('member'))
}

async function namedAccount({ database }: BanDependencies, name: string): Promise<{ id: string }> {
  const account = await findAccountByName(database.kysely, name.trim())
  if (!account) throw notFound('Account')
  return account
}

/** The entry names the ban, and not the person: only operators can read bans. */
async function note(
  deps: BanDependencies,
  trx: Transaction<DB>,
  event: AuditEntry['event'],
  { accountId, network }: BanAuthor,
  { id, spaceId, endsAt }: { id: string; spaceId: number | null; endsAt?: Date },
): Promise<void> {
  const details = {
    ban: id,
    space: spaceId === null ? 'all' : String(spaceId),
    ...(endsAt && { endsAt: endsAt.toISOString() }),
    ...(accountId === null && { by: event === 'ban.expired' ? 'its end' : 'command' }),
  }
  await audit(deps, { accountId: accountId ?? INSTALLATION, event, network, details }, trx)
}
