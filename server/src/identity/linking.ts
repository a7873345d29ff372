import type { FastifyRequest } from 'fastify'
import type { Kysely, Transaction } from 'kysely'
import { HOUR, SECOND } from '../clock.ts'
import type { DB } from '../database/tables.ts'
import { extendBans } from '../bans/coverage.queries.ts'
import { noteAddressesOf } from '../ranking/profile-changes.queries.ts'
import { tryToUpdateProfiles } from '../ranking/profile-changes.ts'
import {
  claimUsername,
  endSharesOf,
  findBoundChain,
  findOwner,
  insertAccount,
  linkIdentity,
  listIdentities,
  lockAccount,
  renameIdentity,
  setUseForEligibility,
  unlinkIdentity,
} from '../accounts/account.queries.ts'
import { conflict, notFound, tooManyRequests } from '../errors.ts'
import { countAttempt } from '../rate-limits/fixed-window.ts'
import { audit } from '../audit/audit.ts'
import type { ProvenIdentity, Verified } from './challenge-kind.ts'
import { newAccountNames } from '../accounts/new-account.ts'
import { endCreatedSince, findLastSignIn, noteSignIn } from '../accounts/created-since.queries.ts'
import { isKindOn } from './kinds-view.ts'
import { deletePasskey, findPasskey, listPasskeys } from '../accounts/passkey.queries.ts'
import { startSession } from '../sessions/session.ts'
import { deleteOtherSessions } from '../sessions/session.queries.ts'
import { nowOf, type Services } from '../services.ts'
import { type SessionRef, withSession } from '../sessions/with-account.ts'

/** Limited because each profile change updates the boards of all identities. */
export const MAX_IDENTITIES = 100
const MAX_PASSKEYS = 25

/**
 * Signs in to the account of a proven identity; creates the account at the first sign-in. Accounts are never matched by
 * name or mail address. The transaction that starts the session checks the owner of the identity again. If the
 * identity was unlinked, the sign-in fails. If a merge moved it, the sign-in is to its new account.
 * @returns the session cookie @throws ApiError proof_gone, other_chain
 */
export async function signInWith(
  services: Services,
  request: FastifyRequest,
  kind: string,
  verified: Verified,
): Promise<string> {
  const { kysely } = services.database
  const owner =
    (await findProvenOwner(kysely, kind, verified)) ?? (await createAccount(services, request, kind, verified))
  const start = (accountId: string) =>
    kysely.transaction().execute(async (transaction) => {
      const isThere = await lockAccount(transaction, accountId)
      if (!isThere || (await findOwnerOfProof(transaction, kind, verified)) !== accountId) return undefined
      if (verified.identity) {
        await renameIdentity(transaction, accountId, { kind, ...verified.identity })
        await noteSignIn(transaction, accountId, { kind, ...verified.identity }, nowOf(services))
      }
      return startSession(services, request, transaction, accountId, kind)
    })
  const cookie = await start(owner)
  if (cookie !== undefined) return cookie
  const newOwner = await findOwnerOfProof(kysely, kind, verified)
  const there = newOwner === undefined || newOwner === owner ? undefined : await start(newOwner)
  if (there !== undefined) return there
  throw conflict('proof_gone', `This ${kind} has just been removed from its account; start again`)
}

/** @throws ApiError other_chain */
export async function findProvenOwner(
  kysely: Kysely<DB>,
  kind: string,
  verified: Verified,
): Promise<string | undefined> {
  const { identity } = verified
  if (!identity) return verified.accountId
  const owner = await findOwner(kysely, kind, identity.subject)
  if (owner !== undefined) await requireSameChain(kysely, owner, kind, identity)
  return owner
}

/** The current owner; the identity or passkey may have been removed since it was proved. */
async function findOwnerOfProof(kysely: Kysely<DB>, kind: string, verified: Verified): Promise<string | undefined> {
  if (verified.identity) return findProvenOwner(kysely, kind, verified)
  return verified.passkeyId === undefined ? undefined : (await findPasskey(kysely, verified.passkeyId))?.accountId
}

/** On another chain, the address of a contract wallet may have another owner. */
async function requireSameChain(kysely: Kysely<DB>, accountId: string, kind: string, identity: ProvenIdentity) {
  if (identity.boundChainId === undefined) return
  const bound = await findBoundChain(kysely, accountId, kind, identity.subject)
  if (bound !== identity.boundChainId)
    throw conflict(
      'other_chain',
      bound === null
        ? 'This address signs in with its key, not as a contract'
        : `This contract wallet was linked on EVM chain ${bound}; sign in there`,
    )
}

async function createAccount(
  services: Services,
  request: FastifyRequest,
  kind: string,
  verified: Verified,
): Promise<string> {
  const accountId = verified.newAccountId ?? services.random.uuid()
  const createdAt = nowOf(services)
  const { network } = request
  const limit = { name: 'new-account', max: services.config.newAccountsPerNetwork, seconds: HOUR / SECOND }
  return services.database.kysely.transaction().execute(async (transaction) => {
    // Counted in the transaction, so that a failed creation does not use up the limit.
    const count = await countAttempt({ ...services, database: { kysely: transaction } }, limit, network)
    if (count.exceeded) throw tooManyRequests(count.retryAfter)
    const name = await claimNewName(transaction, accountId)
    await insertAccount(transaction, { accountId, name, createdAt })
    await verified.attach?.(transaction, accountId)
    if (verified.identity) {
      const linked = await linkIdentity(transaction, accountId, { kind, ...verified.identity, linkedAt: createdAt })
      if (!linked)
        throw conflict('identity_taken', 'Another request signed in with this identity at the same time; try again')
    }
    await audit(services, { accountId, event: 'account.created', network, details: { kind } }, transaction)
    return accountId
  })
}

async function claimNewName(transaction: Transaction<DB>, accountId: string): Promise<string> {
  for (const name of newAccountNames(accountId)) if (await claimUsername(transaction, accountId, name)) return name
  throw conflict('username_taken', 'No username is available for this account; try again')
}

/**
 * Links a proven identity to the account of the session. Fails if the identity belongs to another account.
 * @throws ApiError
 */
export async function link(
  services: Services,
  request: FastifyRequest,
  session: SessionRef,
  kind: string,
  verified: Verified,
): Promise<void> {
  const { accountId } = session
  const addresses = await withSession(services, session, async (transaction) => {
    if (verified.attach && (await listPasskeys(transaction, accountId)).length >= MAX_PASSKEYS)
      throw conflict('too_many_passkeys', `An account may have ${MAX_PASSKEYS} passkeys; remove one first`)
    await verified.attach?.(transaction, accountId)
    if (verified.identity) {
      const owner = await findOwner(transaction, kind, verified.identity.subject)
      if (owner === accountId) return []
      await requireIdentityLimit(transaction, accountId)
      const taken =
        owner !== undefined || !(await linkIdentity(transaction, accountId, newLink(services, kind, verified.identity)))
      if (taken)
        throw conflict(
          'identity_taken',
          `This ${kind} belongs to another account; sign in with it and unlink it there first`,
        )
    }
    await audit(
      services,
      { accountId, event: 'identity.linked', network: request.network, details: linkDetails(kind, verified) },
      transaction,
    )
    const banned = await extendBans(transaction, accountId)
    return [...new Set([...(await noteAddressesOf(transaction, accountId)), ...banned])]
  })
  await tryToUpdateProfiles(services, addresses)
}

async function requireIdentityLimit(transaction: Transaction<DB>, accountId: string): Promise<void> {
  if ((await listIdentities(transaction, accountId)).length >= MAX_IDENTITIES)
    throw conflict('too_many_identities', `An account may have ${MAX_IDENTITIES} identities; unlink one first`)
}

const newLink = (services: Services, kind: string, identity: ProvenIdentity) => ({
  kind,
  ...identity,
  linkedAt: nowOf(services),
})

function linkDetails(kind: string, { identity }: Verified): Record<string, string> {
  return identity ? { kind, subject: identity.subject } : { kind }
}

/**
 * Removes an identity and its shares with apps, or a passkey if the kind is ServiceID. All other sessions end, because the
 * identity may have been stolen. With `endCreated`, grants and tokens created since its last sign-in end too. The last
 * sign-in method cannot be removed. @throws ApiError
 */
export async function unlink(
  services: Services,
  request: FastifyRequest,
  session: SessionRef,
  { kind, subject, endCreated }: { kind: string; subject: string; endCreated: boolean },
): Promise<void> {
  const { accountId, sessionHash } = session
  const { network } = request
  const addresses = await withSession(services, session, async (transaction) => {
    const shown = await noteAddressesOf(transaction, accountId)
    const lastSignIn = await findLastSignIn(transaction, accountId, kind, subject)
    const identities = await listIdentities(transaction, accountId)
    const passkeys = await listPasskeys(transaction, accountId)
    const isPasskey = kind === 'ServiceID'
    const removed = isPasskey
      ? await deletePasskey(transaction, accountId, subject)
      : await unlinkIdentity(transaction, accountId, kind, subject)
    if (!removed) throw notFound('Identity')
    const usable = identities.filter((identity) => isKindOn(services.config, identity.kind))
    const remaining = [...usable.filter((one) => one.kind !== kind || one.subject !== subject), ...passkeys]
    if (remaining.length - (isPasskey ? 1 : 0) === 0)
      throw conflict('last_sign_in_method', 'This is the only way to sign in to this account; link another one first')
    if (!isPasskey) await endSharesOf(transaction, accountId, kind, subject)
    await deleteOtherSessions(transaction, accountId, sessionHash)
    await audit(
      services,
      {
        accountId,
        event: isPasskey ? 'passkey.removed' : 'identity.unlinked',
        network,
        details: { kind, subject, ...(endCreated && { ended: 'grants and tokens since its last sign-in' }) },
      },
      transaction,
    )
    if (endCreated && lastSignIn) await endNew(services, transaction, { accountId, network }, lastSignIn)
    return isPasskey ? [] : shown
  })
  await tryToUpdateProfiles(services, addresses)
}

/**
 * Sets whether an identity counts for the eligibility of the account's other identities.
 * @throws ApiError not_found, never_counts
 */
export async function changeIdentity(
  services: Services,
  { network }: FastifyRequest,
  session: SessionRef,
  change: { kind: string; subject: string; useForEligibility: boolean },
): Promise<void> {
  const { accountId } = session
  const { kind, subject, useForEligibility } = change
  await withSession(services, session, async (transaction) => {
    const identities = await listIdentities(transaction, accountId)
    const identity = identities.find((one) => one.kind === kind && one.subject === subject)
    if (!identity) throw notFound('Identity')
    if (identity.useForEligibility === null)
      throw conflict('never_counts', 'Passkeys and contract wallets never count for other identities')
    if (identity.useForEligibility === useForEligibility) return
    await setUseForEligibility(transaction, accountId, change)
    const details = { kind, subject, useForEligibility: String(useForEligibility) }
    await audit(services, { accountId, event: 'identity.changed', network, details }, transaction)
  })
}

async function endNew(
  services: Services,
  transaction: Transaction<DB>,
  who: { accountId: string; network: string },
  since: Date,
): Promise<void> {
  const { clientIds, tokens } = await endCreatedSince(transaction, who.accountId, since, nowOf(services))
  for (const clientId of clientIds) await audit(services, { ...who, event: 'consent.withdrawn', clientId }, transaction)
  for (const { type, tokenId, name } of tokens) {
    const event = type === 'server' ? 'token.revoked' : 'ingest-token.revoked'
    await audit(services, { ...who, event, details: { tokenId, name } }, transaction)
  }
}
