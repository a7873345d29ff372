import { type Kysely, sql, type Transaction } from 'kysely'
import type { DB } from '../database/tables.ts'
import { noLongWait } from '../accounts/account.queries.ts'
import { storeLinkedNames } from '../accounts/linked-names.queries.ts'

export interface MergeOffer {
  offerId: string
  sessionHash: Buffer
  /** The account that remains. */
  intoAccountId: string
  /** The account that ends. */
  fromAccountId: string
  /** What proved the ending account: an identity, or for ServiceID a passkey. */
  kind: string
  subject: string
  expiresAt: Date
}

export async function insertMergeOffer(kysely: Kysely<DB>, offer: MergeOffer): Promise<void> {
  await kysely
    .insertInto('merge_offers')
    .values({
      offer_id: offer.offerId,
      session_hash: offer.sessionHash,
      into_account_id: offer.intoAccountId,
      from_account_id: offer.fromAccountId,
      kind: offer.kind,
      subject: offer.subject,
      expires_at: offer.expiresAt,
    })
    .execute()
}

export async function findMergeOffer(
  kysely: Kysely<DB>,
  offerId: string,
  sessionHash: Buffer,
  now: Date,
): Promise<MergeOffer | undefined> {
  const row = await kysely
    .selectFrom('merge_offers')
    .selectAll()
    .where('offer_id', '=', offerId)
    .where('session_hash', '=', sessionHash)
    .where('expires_at', '>', now)
    .executeTakeFirst()
  return (
    row && {
      offerId: row.offer_id,
      sessionHash: row.session_hash,
      intoAccountId: row.into_account_id,
      fromAccountId: row.from_account_id,
      kind: row.kind,
      subject: row.subject,
      expiresAt: row.expires_at,
    }
  )
}

/** Deletes an offer. Of parallel confirmations, only one succeeds. */
export async function takeMergeOffer(transaction: Transaction<DB>, offerId: string): Promise<boolean> {
  const { numDeletedRows } = await transaction
    .deleteFrom('merge_offers')
    .where('offer_id', '=', offerId)
    .executeTakeFirstOrThrow()
  return numDeletedRows === 1n
}

/** Locks in the order of ids, so that opposite merges cannot deadlock. Returns false if an account is gone. */
export async function lockBothAccounts(transaction: Transaction<DB>, one: string, other: string): Promise<boolean> {
  const rows = await transaction
    .selectFrom('accounts')
    .select('account_id')
    .where('account_id', 'in', [one, other])
    .where(noLongWait)
    .orderBy('account_id')
    .forUpdate()
    .execute()
  return rows.length === 2
}

export interface Belongings {
  identities: number
  passkeys: number
  tokens: number
  apps: number
  spaces: number
  starboards: number
  credentials: number
  /** Grants that move with their tokens. */
  grants: number
  /** Grants that end because they name the account itself. */
  endedGrants: number
  operator: boolean
}

/** Grants with one of these scopes show the account's id, which ends with the account. */
const NAMES_ACCOUNT = sql.raw(`scopes && ARRAY['ServiceID', 'openid']`)

/** Counts what a merge would move or end. */
export async function countBelongings(kysely: Kysely<DB>, accountId: string): Promise<Belongings> {
  const { rows } = await sql<Belongings>`
    SELECT
      (SELECT count(*) FROM identities WHERE account_id = ${accountId}) AS identities,
      (SELECT count(*) FROM passkeys WHERE account_id = ${accountId}) AS passkeys,
      (SELECT count(*) FROM server_tokens WHERE account_id = ${accountId} AND revoked_at IS NULL) AS tokens,
      (SELECT count(*) FROM apps WHERE owner_account_id = ${accountId}) AS apps,
      (SELECT count(*) FROM spaces WHERE owner_account_id = ${accountId}) AS spaces,
      (SELECT count(*) FROM starboards WHERE owner_account_id = ${accountId}) AS starboards,
      (SELECT count(*) FROM credentials WHERE owner_account_id = ${accountId}) AS credentials,
      (SELECT count(*) FROM grants WHERE account_id = ${accountId} AND revoked_at IS NULL AND NOT ${NAMES_ACCOUNT}) AS grants,
      (SELECT count(*) FROM grants WHERE account_id = ${accountId} AND revoked_at IS NULL AND ${NAMES_ACCOUNT}) AS "endedGrants",
      EXISTS (SELECT FROM operators WHERE account_id = ${accountId}) AS operator`.execute(kysely)
  return rows[0] as Belongings
}

/** Tables whose rows move by changing `account_id`. */
const moved = [
  'identities',
  'identity_subjects',
  'identity_aliases',
  'linked_names',
  'passkeys',
  'server_tokens',
  'ingest_tokens',
  'webhook_endpoints',
  'webhook_subscriptions',
] as const

/** Moves the rows of one account to another and deletes the account. The caller has locked both. */
export async function moveAccount(transaction: Transaction<DB>, from: string, into: string, now: Date): Promise<void> {
  await transaction
    .updateTable('authorizations')
    .set({ hinted_account_id: into })
    .where('hinted_account_id', '=', from)
    .execute()
  await moveConsents(transaction, from, into)
  // Delete codes before grants: a running redemption holds its code until its grant exists.
  for (const table of ['authorization_codes', 'sessions', 'challenges'] as const)
    await transaction.deleteFrom(table).where('account_id', '=', from).execute()
  await sql`DELETE FROM grants WHERE account_id = ${from} AND ${NAMES_ACCOUNT}`.execute(transaction)
  await transaction.updateTable('grants').set({ account_id: into }).where('account_id', '=', from).execute()
  for (const table of moved)
    await transaction.updateTable(table).set({ account_id: into }).where('account_id', '=', from).execute()
  await moveAssignedPlans(transaction, from, into)
  // A name that either account has switched off stays off.
  await storeLinkedNames(transaction, into)
  for (const table of ['apps', 'spaces', 'starboards', 'credentials'] as const)
    await transaction.updateTable(table).set({ owner_account_id: into }).where('owner_account_id', '=', from).execute()
  await sql`
    INSERT INTO operators (account_id, granted_at) SELECT ${into}, granted_at FROM operators WHERE account_id = ${from}
    ON CONFLICT DO NOTHING`.execute(transaction)
  // The remaining account keeps its profile and username.
  for (const table of ['operators', 'account_profiles', 'usernames'] as const)
    await transaction.deleteFrom(table).where('account_id', '=', from).execute()
  await transaction
    .deleteFrom('merge_offers')
    .where((eb) => eb.or([eb('into_account_id', '=', from), eb('from_account_id', '=', from)]))
    .execute()
  await transaction
    .updateTable('merged_accounts')
    .set({ into_account_id: into })
    .where('into_account_id', '=', from)
    .execute()
  await transaction
    .insertInto('merged_accounts')
    .values({ account_id: from, into_account_id: into, merged_at: now })
    .execute()
  await transaction.deleteFrom('accounts').where('account_id', '=', from).execute()
}

/**
 * Tokens keep the identities that they show. Consents keep all scopes except those that name the account. If both
 * accounts consented to an app, the consent of the remaining account wins.
 */
async function moveConsents(transaction: Transaction<DB>, from: string, into: string): Promise<void> {
  // Update the rows in place: a concurrent deletion of an app's users then finds them under either account.
  await sql`
    UPDATE consents c SET account_id = ${into}, shared = shared - 'ServiceID',
      scopes = array_remove(array_remove(scopes, 'ServiceID'), 'openid')
    WHERE account_id = ${from} AND (scopes = '{}' OR NOT scopes <@ ARRAY['ServiceID', 'openid'])
      AND NOT EXISTS (SELECT FROM consents k WHERE k.account_id = ${into} AND k.client_id = c.client_id)`.execute(
    transaction,
  )
  await transaction.deleteFrom('consents').where('account_id', '=', from).execute()
}

/** The remaining account becomes the assigner of these plans. Plans of its tokens end with its operator rights. */
async function moveAssignedPlans(transaction: Transaction<DB>, from: string, into: string): Promise<void> {
  await sql`
    UPDATE server_tokens
    SET plan_assigned_by = ${into}, plan_needs_operator = plan_needs_operator OR account_id = ${into}
    WHERE plan_assigned_by = ${from} OR (plan_assigned_by = ${into} AND account_id = ${into})`.execute(transaction)
}
