import type { FastifyRequest } from 'fastify'
import type { Transaction } from 'kysely'
import type { DB } from '../database/tables.ts'
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
  unlinkIdentity,
} from './account.queries.ts'
import { conflict, notFound, signInRequired } from './api-error.ts'
import { networkOf } from './attempts.ts'
import { audit } from './audit.ts'
import type { ProvenIdentity, Verified } from './kinds.ts'
import { newAccountNames } from './new-account.ts'
import { deletePasskey, listPasskeys } from './passkey.queries.ts'
import { nowOf, type SignIn } from './sign-in.ts'

/** The account of a proven identity, made now when it is seen for the first time. Never found by a name or a mail address. */
export async function signInWith(
  signIn: SignIn,
  request: FastifyRequest,
  kind: string,
  verified: Verified,
): Promise<string> {
  if (verified.accountId !== undefined) return verified.accountId
  const { identity } = verified
  const owner = identity && (await findOwner(signIn.database.kysely, kind, identity.subject))
  if (owner !== undefined && identity) {
    await requireSameChain(signIn, owner, kind, identity)
    await renameIdentity(signIn.database.kysely, owner, { kind, ...identity })
    return owner
  }
  return createAccount(signIn, request, kind, verified)
}

/** A contract wallet signs in on the chain on which it was linked: on another one the address may have another owner. */
async function requireSameChain(signIn: SignIn, accountId: string, kind: string, identity: ProvenIdentity) {
  if (identity.boundChainId === undefined) return
  const bound = await findBoundChain(signIn.database.kysely, accountId, kind, identity.subject)
  if (bound !== identity.boundChainId)
    throw conflict(
      'other_chain',
      bound === null
        ? 'This address signs in with its key, not as a contract'
        : `This contract wallet was linked on EVM chain ${bound}; sign in there`,
    )
}

async function createAccount(
  signIn: SignIn,
  request: FastifyRequest,
  kind: string,
  verified: Verified,
): Promise<string> {
  const accountId = verified.newAccountId ?? signIn.random.uuid()
  const createdAt = nowOf(signIn)
  const address = networkOf(request.ip)
  return signIn.database.kysely.transaction().execute(async (transaction) => {
    const name = await claimNewName(transaction, accountId)
    await insertAccount(transaction, { accountId, name, createdAt })
    await verified.attach?.(transaction, accountId)
    if (verified.identity) {
      const linked = await linkIdentity(transaction, accountId, { kind, ...verified.identity, linkedAt: createdAt })
      if (!linked) throw conflict('identity_taken', 'Somebody signed in with this identity at this moment; try again')
    }
    await audit(signIn, { accountId, event: 'account.created', address, details: { kind } }, transaction)
    return accountId
  })
}

async function claimNewName(transaction: Transaction<DB>, accountId: string): Promise<string> {
  for (const name of newAccountNames(accountId)) if (await claimUsername(transaction, accountId, name)) return name
  throw conflict('username_taken', 'No username is free for this account at this moment; try again')
}

/** Adds a proven identity to an account. One that belongs to another account is refused, never moved. @throws ApiError */
export async function link(
  signIn: SignIn,
  request: FastifyRequest,
  accountId: string,
  kind: string,
  verified: Verified,
): Promise<void> {
  await signIn.database.kysely.transaction().execute(async (transaction) => {
    if (!(await lockAccount(transaction, accountId))) throw signInRequired()
    await verified.attach?.(transaction, accountId)
    if (verified.identity) {
      const owner = await findOwner(transaction, kind, verified.identity.subject)
      if (owner === accountId) return
      const taken =
        owner !== undefined || !(await linkIdentity(transaction, accountId, newLink(signIn, kind, verified.identity)))
      if (taken)
        throw conflict(
          'identity_taken',
          `This ${kind} belongs to another account; sign in with it and unlink it there first`,
        )
    }
    await audit(
      signIn,
      { accountId, event: 'identity.linked', address: networkOf(request.ip), details: linkDetails(kind, verified) },
      transaction,
    )
  })
}

const newLink = (signIn: SignIn, kind: string, identity: ProvenIdentity) => ({
  kind,
  ...identity,
  linkedAt: nowOf(signIn),
})

function linkDetails(kind: string, { identity }: Verified): Record<string, string> {
  return identity ? { kind, subject: identity.subject } : { kind }
}

/** Takes an identity (or, for the kind ServiceID, a passkey) off an account and ends what apps see of it. The last way to sign in stays. @throws ApiError */
export async function unlink(
  signIn: SignIn,
  request: FastifyRequest,
  accountId: string,
  kind: string,
  subject: string,
): Promise<void> {
  await signIn.database.kysely.transaction().execute(async (transaction) => {
    if (!(await lockAccount(transaction, accountId))) throw signInRequired()
    const identities = await listIdentities(transaction, accountId)
    const passkeys = await listPasskeys(transaction, accountId)
    const isPasskey = kind === 'ServiceID'
    const removed = isPasskey
      ? await deletePasskey(transaction, accountId, subject)
      : await unlinkIdentity(transaction, accountId, kind, subject)
    if (!removed) throw notFound('Identity')
    if (identities.length + passkeys.length === 1)
      throw conflict('last_sign_in_method', 'This is the only way to sign in to this account; link another one first')
    if (!isPasskey) await endSharesOf(transaction, accountId, kind, subject)
    await audit(
      signIn,
      {
        accountId,
        event: isPasskey ? 'passkey.removed' : 'identity.unlinked',
        address: networkOf(request.ip),
        details: { kind, subject },
      },
      transaction,
    )
  })
}
