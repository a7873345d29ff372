import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely'
import type { DB } from '../database/tables.ts'
import { endSessionsOf } from '../accounts/ended-sessions.queries.ts'
import { lockAccount } from '../accounts/account.queries.ts'
import { storeLinkedNames } from '../accounts/linked-names.queries.ts'

export interface MergeOffer {
  offerId: string
  sessionHash: Buffer
  /** The account that remains. */
  intoAccountId: string
  /** The account that ends. */
  fromAccountId: string
  /** The proof of the account that ends: an identity, or for ServiceID a passkey. */
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
  for (const id of [one, other].sort()) if (!(await lockAccount(transaction, id))) return false
  return true
}

export interface Belongings {
  identities: number
  passkeys: number
  tokens: number
  apps: number
  spaces: number
  /** Teams of spaces in which the account has a role. */
  teams: number
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

/** Counts the objects that a merge would move or end. */
export async function countBelongings(kysely: Kysely<DB>, accountId: string): Promise<Belongings> {
  // One statement per table, because the tables have different distribution keys.
  const count = async (which: RawBuilder<unknown>) =>
    (await sql<{ count: number }>`SELECT count(*) AS count FROM ${which}`.execute(kysely)).rows[0]?.count ?? 0
  const mine = sql`WHERE account_id = ${accountId}`
  const owned = sql`WHERE owner_account_id = ${accountId}`
  return {
    identities: await count(sql`identities ${mine}`),
    passkeys: await count(sql`passkeys ${mine}`),
    tokens: await count(sql`server_tokens ${mine} AND revoked_at IS NULL`),
    apps: await count(sql`apps ${owned}`),
    spaces: await count(sql`spaces ${owned}`),
    teams: await count(sql`space_members ${mine}`),
    starboards: await count(sql`starboards ${owned}`),
    credentials: await count(sql`credentials ${owned}`),
    grants: await count(sql`grants ${mine} AND revoked_at IS NULL AND NOT (${NAMES_ACCOUNT})`),
    endedGrants: await count(sql`grants ${mine} AND revoked_at IS NULL AND ${NAMES_ACCOUNT}`),
    operator: (await count(sql`operators ${mine}`)) > 0,
  }
}

/** Tables whose rows move by changing `account_id`. */
const moved = [
  'identity_subjects',
  'identity_aliases',
  'linked_names',
  'passkeys',
  'server_tokens',
  'ingest_tokens',
  'imports',
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
  await moveClaims(transaction, from, into)
  await moveQuizAttempts(transaction, from, into)
  await moveMembers(transaction, from, into)
  // Delete codes before grants: a running redemption holds its code until its grant exists.
  for (const table of ['authorization_codes', 'challenges'] as const)
    await transaction.deleteFrom(table).where('account_id', '=', from).execute()
  await endSessionsOf(transaction, from)
  await sql`DELETE FROM grants WHERE account_id = ${from} AND ${NAMES_ACCOUNT}`.execute(transaction)
  await transaction.updateTable('grants').set({ account_id: into }).where('account_id', '=', from).execute()
  // Rows that are distributed by their account cannot change it, so they are inserted again.
  await sql`
    INSERT INTO identities
      (account_id, kind, subject, username, linked_at, bound_chain_id, last_signed_in_at, use_for_eligibility)
    SELECT ${into}::uuid, kind, subject, username, linked_at, bound_chain_id, last_signed_in_at, use_for_eligibility
    FROM identities WHERE account_id = ${from}`.execute(transaction)
  await transaction.deleteFrom('identities').where('account_id', '=', from).execute()
  for (const table of moved)
    await transaction.updateTable(table).set({ account_id: into }).where('account_id', '=', from).execute()
  for (const column of ['applied_by', 'undone_by'] as const)
    await transaction
      .updateTable('imports')
      .set({ [column]: into })
      .where(column, '=', from)
      .execute()
  await moveAssignedPlans(transaction, from, into)
  // A name that either account has switched off stays off.
  await storeLinkedNames(transaction, into)
  for (const table of ['apps', 'spaces', 'starboards', 'credentials'] as const)
    await transaction.updateTable(table).set({ owner_account_id: into }).where('owner_account_id', '=', from).execute()
  await sql`
    INSERT INTO operators (account_id, granted_at) SELECT ${into}::uuid, granted_at FROM operators WHERE account_id = ${from}
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
  // Locked, because a concurrent forgetAppUsers must delete the rows under either account.
  const kept = await transaction
    .selectFrom('consents')
    .select(['client_id', 'granted_at'])
    .select([
      sql<string[]>`array_remove(array_remove(scopes, 'ServiceID'), 'openid')`.as('scopes'),
      sql<string>`(shared - 'ServiceID')::text`.as('shared'),
    ])
    .where('account_id', '=', from)
    .where(sql<boolean>`(scopes = '{}' OR NOT scopes <@ ARRAY['ServiceID', 'openid'])`)
    .forUpdate()
    .execute()
  if (kept.length > 0)
    await transaction
      .insertInto('consents')
      .values(kept.map((consent) => ({ ...consent, account_id: into })))
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  await transaction.deleteFrom('consents').where('account_id', '=', from).execute()
}

/** In a team with both accounts, the higher role stays. The owner of a space has no row; see `owner_account_id`. */
async function moveMembers(transaction: Transaction<DB>, from: string, into: string): Promise<void> {
  const rank = (role: RawBuilder<unknown>) => sql`array_position(ARRAY['admin', 'editor', 'viewer'], ${role})`
  await sql`
    INSERT INTO space_members AS m (space_id, account_id, role, added_at)
    SELECT space_id, ${into}::uuid, role, added_at FROM space_members WHERE account_id = ${from}
    ON CONFLICT (space_id, account_id) DO UPDATE SET role = excluded.role
      WHERE ${rank(sql`excluded.role`)} < ${rank(sql`m.role`)}`.execute(transaction)
  await sql`
    DELETE FROM space_members WHERE account_id = ${from} OR (account_id = ${into} AND space_id IN (
      SELECT space_id FROM spaces WHERE owner_account_id IN (${from}, ${into})))`.execute(transaction)
  await transaction.updateTable('space_invitations').set({ invited_by: into }).where('invited_by', '=', from).execute()
}

/** If both accounts completed a quest, the claim of the remaining account stays its only one. */
async function moveClaims(transaction: Transaction<DB>, from: string, into: string): Promise<void> {
  const claimed = await transaction
    .selectFrom('quest_claims')
    .select('quest_id')
    .where('account_id', '=', into)
    .execute()
  const quests = claimed.map((row) => row.quest_id)
  await sql`
    UPDATE quest_claims SET account_id = CASE WHEN quest_id = ANY(${quests}) THEN NULL ELSE ${into}::uuid END
    WHERE account_id = ${from}`.execute(transaction)
}

/**
 * Attempts at a quiz of both accounts do not add up, because the period of either may be over. Those of the ended account
 * count on for its identities, so that a merge gives no attempt back.
 */
async function moveQuizAttempts(transaction: Transaction<DB>, from: string, into: string): Promise<void> {
  await sql`
    INSERT INTO quiz_attempts AS q (credential_id, account_id, period_started, used, passed_at)
    SELECT credential_id, ${into}::uuid, period_started, used, passed_at FROM quiz_attempts WHERE account_id = ${from}
    ON CONFLICT (credential_id, account_id) DO UPDATE SET
      passed_at = least(q.passed_at, excluded.passed_at)`.execute(transaction)
  await transaction.deleteFrom('quiz_attempts').where('account_id', '=', from).execute()
}

/**
 * Replaces `from` as the assigner of plans of tokens. Plans that the account assigned to its own tokens end with its
 * operator rights.
 */
async function moveAssignedPlans(transaction: Transaction<DB>, from: string, into: string): Promise<void> {
  await sql`
    UPDATE server_tokens
    SET plan_assigned_by = ${into}, plan_needs_operator = plan_needs_operator OR account_id = ${into}
    WHERE plan_assigned_by = ${from} OR (plan_assigned_by = ${into} AND account_id = ${into})`.execute(transaction)
}
