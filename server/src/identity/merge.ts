import type { FastifyReply, FastifyRequest } from 'fastify'
import { MERGE_OFFER_LIFETIME } from '../lifetimes.ts'
import { randomName } from '../secrets/random-name.ts'
import { moveBans } from '../bans/coverage.queries.ts'
import { noteAddressesOf } from '../ranking/profile-changes.queries.ts'
import { tryToUpdateProfiles } from '../ranking/profile-changes.ts'
import { findAccountName, findOwner, listIdentities } from '../accounts/account.queries.ts'
import { findSuspension } from '../accounts/suspension.queries.ts'
import { accountSuspended, conflict, notFound } from '../errors.ts'
import type { AccountCaller } from '../api/route.ts'
import { audit } from '../audit/audit.ts'
import { setSessionCookie } from '../sessions/cookies.ts'
import type { Verified } from './challenge-kind.ts'
import { findProvenOwner, MAX_IDENTITIES } from './linking.ts'
import {
  type Belongings,
  countBelongings,
  findMergeOffer,
  insertMergeOffer,
  lockBothAccounts,
  type MergeOffer,
  moveAccount,
  takeMergeOffer,
} from './merge.queries.ts'
import { findPasskey } from '../accounts/passkey.queries.ts'
import { startSession } from '../sessions/session.ts'
import { later, nowOf, type Services } from '../services.ts'
import { type SessionRef, requireLiveSession, withSession } from '../sessions/with-account.ts'

const OFFER_ID_LENGTH = 32

type MergeCaller = Pick<AccountCaller, 'session'> & { services: Services; params: { id: string } }

export interface MergeView {
  id: string
  expiresAt: string
  /** The account that remains, which is signed in. */
  into: { id: string; username: string }
  /** The account that ends, and what moves. */
  from: { id: string; username: string } & Belongings
}

/**
 * Creates an offer after a signed-in user has proved an identity of another account for this purpose. The same session
 * can confirm the offer once. @throws ApiError identity_unknown, same_account
 */
export async function offerMerge(
  services: Services,
  session: SessionRef,
  kind: string,
  verified: Verified,
): Promise<MergeView> {
  const from = await findProvenOwner(services.database.kysely, kind, verified)
  const subject = verified.identity?.subject ?? verified.passkeyId
  if (from === undefined || subject === undefined)
    throw conflict('identity_unknown', `This ${kind} belongs to no account; link it instead`)
  if (from === session.accountId)
    throw conflict('same_account', `This ${kind} belongs to the account that is signed in already`)
  const offer = {
    offerId: randomName(services.random, OFFER_ID_LENGTH),
    sessionHash: session.sessionHash,
    intoAccountId: session.accountId,
    fromAccountId: from,
    kind,
    subject,
    expiresAt: later(nowOf(services), MERGE_OFFER_LIFETIME),
  }
  await withSession(services, session, (transaction) => insertMergeOffer(transaction, offer))
  return viewMerge(services, offer)
}

/**
 * Merges the accounts in one transaction and ends the sessions of both. The current browser gets a new session.
 * @returns the new session's cookie
 * @throws ApiError not_found, sign_in_required, account_suspended, proof_gone, too_many_identities
 */
export async function confirmMerge(
  services: Services,
  request: FastifyRequest,
  reply: FastifyReply,
  offer: MergeOffer,
): Promise<string> {
  const { intoAccountId: into, fromAccountId: from } = offer
  const { network } = request
  const { addresses, cookie } = await services.database.kysely.transaction().execute(async (transaction) => {
    // Lock the accounts before the offer, because a merge that ends an account deletes the offers of others about it.
    if (!(await lockBothAccounts(transaction, into, from))) throw notFound('Merge')
    await requireLiveSession(transaction, { accountId: into, sessionHash: offer.sessionHash })
    if (!(await takeMergeOffer(transaction, offer.offerId))) throw notFound('Merge')
    if (await findSuspension(transaction, from)) throw accountSuspended()
    if (!(await stillProves(transaction, offer)))
      throw conflict('proof_gone', `The ${offer.kind} that proved the other account has been removed from it`)
    const [kept, added] = await Promise.all([listIdentities(transaction, into), listIdentities(transaction, from)])
    if (kept.length + added.length > MAX_IDENTITIES)
      throw conflict('too_many_identities', `An account may have ${MAX_IDENTITIES} identities; unlink some first`)
    const username = (await findAccountName(transaction, from)) ?? ''
    const shownBefore = await noteAddressesOf(transaction, from)
    await moveAccount(transaction, from, into, nowOf(services))
    const proof = { kind: offer.kind, subject: offer.subject }
    const merged = { from, username, ...proof }
    await audit(services, { accountId: into, event: 'account.merged', network, details: merged }, transaction)
    await audit(
      services,
      { accountId: from, event: 'account.merged-away', network, details: { into, ...proof } },
      transaction,
    )
    const banned = await moveBans(transaction, from, into)
    const shownAfter = await noteAddressesOf(transaction, into)
    return {
      addresses: [...new Set([...shownBefore, ...shownAfter, ...banned])],
      cookie: await startSession(services, request, transaction, into, 'merge'),
    }
  })
  setSessionCookie(services, reply, cookie)
  await tryToUpdateProfiles(services, addresses)
  return cookie
}

/** The offer named in the path, if it belongs to this session. @throws ApiError not_found */
export async function ownMergeOffer({ services, session, params: { id } }: MergeCaller): Promise<MergeOffer> {
  const offer = await findMergeOffer(services.database.kysely, id, session.sessionHash, nowOf(services))
  if (!offer || offer.intoAccountId !== session.accountId) throw notFound('Merge')
  return offer
}

/** The owner may have removed a stolen identity since it proved the account. */
async function stillProves(kysely: Services['database']['kysely'], offer: MergeOffer): Promise<boolean> {
  const owner =
    offer.kind === 'ServiceID'
      ? (await findPasskey(kysely, offer.subject))?.accountId
      : await findOwner(kysely, offer.kind, offer.subject)
  return owner === offer.fromAccountId
}

export async function viewMerge({ database: { kysely } }: Services, offer: MergeOffer): Promise<MergeView> {
  const [into, from, belongings] = await Promise.all([
    findAccountName(kysely, offer.intoAccountId),
    findAccountName(kysely, offer.fromAccountId),
    countBelongings(kysely, offer.fromAccountId),
  ])
  if (into === undefined || from === undefined) throw notFound('Merge')
  return {
    id: offer.offerId,
    expiresAt: offer.expiresAt.toISOString(),
    into: { id: offer.intoAccountId, username: into },
    from: { id: offer.fromAccountId, username: from, ...belongings },
  }
}
