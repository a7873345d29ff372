import { type Kysely, sql, type Transaction } from 'kysely'
import type { DB } from '../database/tables.ts'
import type { MemberRole } from './roles.ts'

export interface Member {
  accountId: string
  role: MemberRole
  addedAt: Date
}

/** The members of a space, in the order of joining, without the owner. */
export async function listMembers(kysely: Kysely<DB>, spaceId: number): Promise<Member[]> {
  const rows = await kysely
    .selectFrom('space_members')
    .select(['account_id as accountId', 'role', 'added_at as addedAt'])
    .where('space_id', '=', spaceId)
    .orderBy('added_at')
    .orderBy('account_id')
    .execute()
  return rows as Member[]
}

/** Names by account id; without deleted accounts. */
export async function readNames(kysely: Kysely<DB>, accountIds: readonly string[]): Promise<Map<string, string>> {
  const { rows } = await sql<{ id: string; name: string }>`
    SELECT account_id AS id, name FROM accounts WHERE account_id = ANY(${accountIds}::uuid[])`.execute(kysely)
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** Serializes changes of a team. @returns whether the space exists */
export async function lockTeam(trx: Transaction<DB>, spaceId: number): Promise<boolean> {
  const row = await trx
    .selectFrom('spaces')
    .select('space_id')
    .where('space_id', '=', spaceId)
    .forNoKeyUpdate()
    .executeTakeFirst()
  return row !== undefined
}

/** Adds a member, or changes the role. */
export async function storeMember(
  trx: Transaction<DB>,
  spaceId: number,
  { accountId, role, addedAt }: Member,
): Promise<void> {
  await trx
    .insertInto('space_members')
    .values({ space_id: spaceId, account_id: accountId, role, added_at: addedAt })
    .onConflict((conflict) => conflict.columns(['space_id', 'account_id']).doUpdateSet({ role }))
    .execute()
}

/** @returns whether the account was a member */
export async function deleteMember(trx: Transaction<DB>, spaceId: number, accountId: string): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('space_members')
    .where('space_id', '=', spaceId)
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

/** Makes an account the owner of a space, and removes it from the members. @returns whether the space exists */
export async function storeSpaceOwner(
  trx: Transaction<DB>,
  spaceId: number,
  accountId: string | null,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('spaces')
    .set({ owner_account_id: accountId })
    .where('space_id', '=', spaceId)
    .executeTakeFirstOrThrow()
  if (accountId !== null) await deleteMember(trx, spaceId, accountId)
  return numUpdatedRows === 1n
}
