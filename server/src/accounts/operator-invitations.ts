import type { Kysely, Transaction } from 'kysely'
import type { DB } from '../database/tables.ts'
import { conflict, notFound } from '../errors.ts'
import { formatToken, isWellFormedToken } from '../secrets/token-format.ts'
import { hashOf } from '../secrets/hashes.ts'
import type { Site } from '../settings/site.ts'
import { later, nowOf, type Services } from '../services.ts'
import { isOperator, listOperators, setOperator } from './account.queries.ts'
import {
  deleteExpiredInvitations,
  deleteFirstInvitations,
  findInvitation,
  insertInvitation,
  lockInvitations,
  takeInvitation,
} from './operator-invitations.queries.ts'

type Inviting = Pick<Services, 'clock' | 'random'> & {
  database: Pick<Services['database'], 'kysely'>
  site: Pick<Site, 'issuer'>
}

/** A one-time link. Whoever opens it and signs in becomes an operator. */
export interface InvitationLink {
  url: string
  expiresAt: Date
}

/**
 * Creates a one-time link. Only the hash of its code is stored.
 * @param lifetime in milliseconds
 * @param forFirst the link is valid only while there is no operator
 */
export async function inviteOperator(
  { clock, random, database, site }: Inviting,
  lifetime: number,
  { forFirst = false } = {},
): Promise<InvitationLink> {
  const createdAt = nowOf({ clock })
  const expiresAt = later(createdAt, lifetime)
  const code = formatToken('qbo', random.bytes(32))
  await deleteExpiredInvitations(database.kysely, createdAt)
  if (forFirst) await deleteFirstInvitations(database.kysely)
  await insertInvitation(database.kysely, { codeHash: hashOf(code), forFirst, createdAt, expiresAt })
  // Browsers do not send the part after #, so that no proxy logs the code.
  return { url: `${site.issuer}/operator-invitation#${code}`, expiresAt }
}

/** When the link of a code expires. The link stays valid. @throws ApiError not_found as `acceptInvitation` */
export async function readInvitation(kysely: Kysely<DB>, code: string, now: Date): Promise<Date> {
  const found = isWellFormedToken('qbo', code) ? await findInvitation(kysely, hashOf(code), now) : undefined
  return (await requireOpen(kysely, found)).expiresAt
}

/** A link for the first operator is invalid as soon as there is one. */
async function requireOpen<T extends { forFirst: boolean }>(kysely: Kysely<DB>, found: T | undefined): Promise<T> {
  if (!found || (found.forFirst && (await listOperators(kysely)).length > 0)) throw notFound('Invitation')
  return found
}

/**
 * Makes an account an operator with the code of a link. The caller has locked the account.
 * @throws ApiError not_found if the code is unknown, used or expired, or is for the first operator and there is one;
 * already_operator
 */
export async function acceptInvitation(
  transaction: Transaction<DB>,
  accountId: string,
  code: string,
  now: Date,
): Promise<void> {
  if (!isWellFormedToken('qbo', code)) throw notFound('Invitation')
  if (await isOperator(transaction, accountId))
    throw conflict('already_operator', 'This account is already an operator')
  await lockInvitations(transaction)
  await requireOpen(transaction, await takeInvitation(transaction, hashOf(code), now))
  await setOperator(transaction, accountId, now)
  await deleteFirstInvitations(transaction)
}
