import type { Transaction } from 'kysely'
import type { DB } from '../database/tables.ts'
import { endSessionsOf, forgetNoticesOf } from './ended-sessions.queries.ts'
import { forgetImports } from './forget-imports.queries.ts'

const IDENTITY_TABLES = ['linked_names', 'identity_aliases', 'identity_subjects', 'identities'] as const

/** Deletes an account. Published spaces, boards and credentials remain without an owner. */
export async function deleteAccount(transaction: Transaction<DB>, accountId: string): Promise<void> {
  await endSessionsOf(transaction, accountId)
  for (const table of ['consents', 'authorization_codes', 'grants', 'challenges', 'passkeys'] as const)
    await transaction.deleteFrom(table).where('account_id', '=', accountId).execute()
  for (const table of [...IDENTITY_TABLES, 'operators', 'usernames'] as const)
    await transaction.deleteFrom(table).where('account_id', '=', accountId).execute()
  // These tables have neither an account column nor a foreign key.
  const endpoints = transaction
    .selectFrom('webhook_endpoints')
    .select('endpoint_id')
    .where('account_id', '=', accountId)
  for (const table of ['webhook_messages', 'webhook_attempts'] as const)
    await transaction.deleteFrom(table).where('endpoint_id', 'in', endpoints).execute()
  for (const table of [
    'account_profiles',
    'quiz_attempts',
    'space_members',
    'ingest_tokens',
    'webhook_subscriptions',
    'webhook_endpoints',
  ] as const)
    await transaction.deleteFrom(table).where('account_id', '=', accountId).execute()
  await transaction.deleteFrom('space_invitations').where('invited_by', '=', accountId).execute()
  await transaction
    .deleteFrom('merge_offers')
    .where((eb) => eb.or([eb('into_account_id', '=', accountId), eb('from_account_id', '=', accountId)]))
    .execute()
  const merged = await transaction
    .deleteFrom('merged_accounts')
    .where('into_account_id', '=', accountId)
    .returning('account_id')
    .execute()
  await forgetNoticesOf(transaction, [accountId, ...merged.map(({ account_id }) => account_id)])
  for (const { account_id: endedId } of merged)
    await transaction.deleteFrom('security_events').where('account_id', '=', endedId).execute()
  const tokens = await transaction
    .selectFrom('server_tokens')
    .select('token_id')
    .where('account_id', '=', accountId)
    .execute()
  // Queries from the pages are counted under the account id.
  const counted = [accountId, ...merged.map(({ account_id }) => account_id), ...tokens.map(({ token_id }) => token_id)]
  for (const table of ['token_usage', 'token_requests', 'quota_windows', 'persisted_documents'] as const)
    await transaction.deleteFrom(table).where('token_id', 'in', counted).execute()
  for (const table of ['security_events', 'server_tokens'] as const)
    await transaction.deleteFrom(table).where('account_id', '=', accountId).execute()
  for (const table of ['spaces', 'starboards', 'credentials'] as const)
    await transaction
      .updateTable(table)
      .set({ owner_account_id: null })
      .where('owner_account_id', '=', accountId)
      .execute()
  await transaction
    .updateTable('server_tokens')
    .set({ plan_assigned_by: null })
    .where('plan_assigned_by', '=', accountId)
    .execute()
  await transaction.updateTable('quest_claims').set({ account_id: null }).where('account_id', '=', accountId).execute()
  await forgetImports(transaction, accountId)
  await transaction.deleteFrom('accounts').where('account_id', '=', accountId).execute()
}
