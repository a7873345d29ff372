import { type Kysely, sql, type Transaction } from 'kysely'
import type { DB } from '../database/tables.ts'

export interface Invitation {
  codeHash: Buffer
  /** Valid only while there is no operator. */
  forFirst: boolean
  createdAt: Date
  expiresAt: Date
}

export async function insertInvitation(kysely: Kysely<DB>, invitation: Invitation): Promise<void> {
  await kysely
    .insertInto('operator_invitations')
    .values({
      code_hash: invitation.codeHash,
      for_first: invitation.forFirst,
      created_at: invitation.createdAt,
      expires_at: invitation.expiresAt,
    })
    .execute()
}

export async function deleteExpiredInvitations(kysely: Kysely<DB>, now: Date): Promise<void> {
  await kysely.deleteFrom('operator_invitations').where('expires_at', '<=', now).execute()
}

/** Deletes the links for the first operator: after a restart, only the newest is valid; with an operator, none. */
export async function deleteFirstInvitations(kysely: Kysely<DB>): Promise<void> {
  await kysely.deleteFrom('operator_invitations').where('for_first', '=', true).execute()
}

/** An invitation that has not expired. */
export async function findInvitation(
  kysely: Kysely<DB>,
  codeHash: Buffer,
  now: Date,
): Promise<Pick<Invitation, 'forFirst' | 'expiresAt'> | undefined> {
  return kysely
    .selectFrom('operator_invitations')
    .select(['for_first as forFirst', 'expires_at as expiresAt'])
    .where('code_hash', '=', codeHash)
    .where('expires_at', '>', now)
    .executeTakeFirst()
}

/** Deletes an invitation that has not expired. Of concurrent calls, one receives it. */
export async function takeInvitation(
  transaction: Transaction<DB>,
  codeHash: Buffer,
  now: Date,
): Promise<{ forFirst: boolean } | undefined> {
  return transaction
    .deleteFrom('operator_invitations')
    .where('code_hash', '=', codeHash)
    .where('expires_at', '>', now)
    .returning('for_first as forFirst')
    .executeTakeFirst()
}

/** Serializes the acceptance of invitations until the transaction ends, so that only one account is the first operator. */
export async function lockInvitations(transaction: Transaction<DB>): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtext('operator invitations'))`.execute(transaction)
}
