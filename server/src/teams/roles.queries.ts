import { type Kysely, type RawBuilder, sql } from 'kysely'
import { type Reader, statement } from '@questboard/pg-read-pipeline'
import type { DB } from '../database/tables.ts'
import { type MemberRole, type Right, type Role, rolesWith } from './roles.ts'

/** The roles of members with a right; owners are not members. */
const membersWith = (right: Right): MemberRole[] => rolesWith(right).filter((role) => role !== 'owner')

/** The SQL condition that an account has a right in the space of a row of `spaces`. */
export function accountMay(right: Right, spaces: string, account: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`(
    ${sql.ref(`${spaces}.owner_account_id`)} = ${account} OR EXISTS (
      SELECT FROM space_members AS member
      WHERE member.space_id = ${sql.ref(`${spaces}.space_id`)} AND member.account_id = ${account}
        AND member.role = ANY(${membersWith(right)}::text[])))`
}

/** The ids of the accounts with a right in the space of a row of `spaces`, as an SQL array of texts; empty without a space. */
export function accountsWith(right: Right, spaces: string): RawBuilder<string[]> {
  const [space, owner] = [sql.ref(`${spaces}.space_id`), sql.ref(`${spaces}.owner_account_id`)]
  return sql<string[]>`array_remove(ARRAY(
    SELECT member.account_id::text FROM space_members AS member
    WHERE member.space_id = ${space} AND member.role = ANY(${membersWith(right)}::text[])) || ${owner}::text, NULL)`
}

/** accountMay as text, for prepared statements of the request path; `account` is a column or parameter. */
export function accountMayText(right: Right, spaces: string, account: string): string {
  const roles = membersWith(right).map((role) => `'${role}'`)
  return `(${spaces}.owner_account_id = ${account} OR EXISTS (
    SELECT FROM space_members AS member
    WHERE member.space_id = ${spaces}.space_id AND member.account_id = ${account} AND member.role IN (${roles.join(', ')})))`
}

const member = statement<{ role: string }>(
  'team.member',
  'SELECT role FROM space_members WHERE space_id = $1 AND account_id = $2',
)

/** Whether an account is in the team of a space; the owner is not a member. For the query path. */
export async function isMember(reader: Reader, spaceId: number, accountId: string): Promise<boolean> {
  return (await reader.read(member, [spaceId, accountId])).length > 0
}

/** The role of an account in a space: null if the account has none, undefined if the space does not exist. */
export async function findRole(
  kysely: Kysely<DB>,
  spaceId: number,
  accountId: string,
): Promise<Role | null | undefined> {
  const row = await kysely
    .selectFrom('spaces as s')
    .leftJoin('space_members as m', (join) =>
      join.onRef('m.space_id', '=', 's.space_id').on('m.account_id', '=', accountId),
    )
    .select(['s.owner_account_id', 'm.role'])
    .where('s.space_id', '=', spaceId)
    .executeTakeFirst()
  if (!row) return undefined
  return row.owner_account_id === accountId ? 'owner' : (row.role as MemberRole | null)
}

export async function findSpace(
  kysely: Kysely<DB>,
  spaceId: number,
): Promise<{ name: string; ownerAccountId: string | null } | undefined> {
  return kysely
    .selectFrom('spaces')
    .select(['name', 'owner_account_id as ownerAccountId'])
    .where('space_id', '=', spaceId)
    .executeTakeFirst()
}

/** The spaces in which an account has a right, and its role there. */
export async function findSpacesOf(
  kysely: Kysely<DB>,
  accountId: string,
  right: Right,
): Promise<{ spaceId: number; name: string; role: Role }[]> {
  const { rows } = await sql<{ spaceId: number; name: string; role: Role }>`
    SELECT s.space_id AS "spaceId", s.name,
      CASE WHEN s.owner_account_id = ${accountId} THEN 'owner' ELSE m.role END AS role
    FROM spaces s LEFT JOIN space_members m ON m.space_id = s.space_id AND m.account_id = ${accountId}
    WHERE ${accountMay(right, 's', sql`${accountId}::uuid`)} ORDER BY s.space_id`.execute(kysely)
  return rows
}
