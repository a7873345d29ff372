import { type Kysely, sql, type Transaction } from 'kysely'
import { textArray } from '@questboard/pg-read-pipeline'
import { ACCOUNT_ADDRESS } from '../addresses/account-address.ts'
import type { DB } from '../database/tables.ts'
import { canCount, kindOfName, type LinkedName, type NamedIdentity, namesOfIdentity } from './linked-names.ts'

interface Proven extends NamedIdentity {
  aliases?: readonly string[]
}

/**
 * Updates `linked_names` to match the identities of a locked account, in the transaction that changes them. Names of
 * the proven identity are taken from other accounts: a handle belongs to the account that proved it last.
 */
export async function storeLinkedNames(
  transaction: Transaction<DB>,
  accountId: string,
  proven?: Pick<NamedIdentity, 'kind' | 'subject'>,
): Promise<void> {
  const usable: LinkedName[] = []
  const unusable: LinkedName[] = []
  const provenNames: LinkedName[] = []
  for (const { identity, usableForEligibility, names } of await readNames(transaction, accountId)) {
    if (!usableForEligibility) unusable.push(...names)
    else if (identity.kind === proven?.kind && identity.subject === proven.subject) provenNames.push(...names)
    else usable.push(...names)
  }
  const hidden = new Set(unusable.map(keyOf))
  const shown = (names: LinkedName[]) => names.filter((one) => !hidden.has(keyOf(one)))
  await deleteOthers(transaction, accountId, shown([...usable, ...provenNames]))
  await insertNames(
    transaction,
    accountId,
    shown(provenNames),
    sql`DO UPDATE SET account_id = excluded.account_id
    WHERE linked_names.account_id <> excluded.account_id`,
  )
  await insertNames(transaction, accountId, shown(usable), sql`DO NOTHING`)
}

/** After a sign-in: claims names that were never stored or that another account has proved since. */
export async function claimLinkedNames(transaction: Transaction<DB>, accountId: string, proven: Proven): Promise<void> {
  const names = namesOfIdentity(proven, proven.aliases ?? [])
  const { rows } = await sql<LinkedName>`
    SELECT name, kind FROM linked_names
    WHERE account_id = ${accountId} AND kind = ANY(${names.map(({ kind }) => kind)}::text[])`.execute(transaction)
  const stored = new Set(rows.map(keyOf))
  if (!names.every((one) => stored.has(keyOf(one)))) await storeLinkedNames(transaction, accountId, proven)
}

const keyOf = ({ name, kind }: LinkedName) => `${kind} ${name}`

async function readNames(transaction: Transaction<DB>, accountId: string) {
  const identities = await transaction
    .selectFrom('identities')
    .select(['kind', 'subject', 'username', 'bound_chain_id', 'use_for_eligibility'])
    .where('account_id', '=', accountId)
    .execute()
  const { rows: aliases } = await sql<{ alias: string; kind: string; subject: string }>`
    SELECT alias, kind, subject FROM identity_aliases WHERE account_id = ${accountId}`.execute(transaction)
  const accounts = aliases
    .filter(({ kind }) => kind === ACCOUNT_ADDRESS)
    .map(({ alias, kind }) => ({
      identity: { kind, subject: alias, username: null },
      usableForEligibility: true,
      names: [{ name: alias, kind }],
    }))
  const linked = identities.map(({ bound_chain_id, use_for_eligibility, ...identity }) => ({
    identity,
    usableForEligibility: use_for_eligibility && canCount(identity.kind, bound_chain_id),
    names: namesOfIdentity(
      identity,
      aliases.flatMap(({ alias, kind, subject }) =>
        kind === identity.kind && subject === identity.subject ? [alias] : [],
      ),
    ),
  }))
  return [...linked, ...accounts]
}

/** Ordered, so that concurrent transactions lock names without a deadlock. */
const tableOf = (names: readonly LinkedName[]) => sql`
  SELECT DISTINCT name, kind
  FROM unnest(${textArray(names.map(({ name }) => name))}::text[], ${textArray(names.map(({ kind }) => kind))}::text[])
    AS n (name, kind) ORDER BY name, kind`

async function deleteOthers(transaction: Transaction<DB>, accountId: string, kept: LinkedName[]): Promise<void> {
  await sql`
    DELETE FROM linked_names WHERE account_id = ${accountId} AND (name, kind) NOT IN (${tableOf(kept)})`.execute(
    transaction,
  )
}

async function insertNames(
  transaction: Transaction<DB>,
  accountId: string,
  names: LinkedName[],
  onConflict: ReturnType<typeof sql>,
): Promise<void> {
  if (names.length === 0) return
  await sql`
    INSERT INTO linked_names (name, kind, account_id)
    SELECT name, kind, ${accountId}::uuid FROM (${tableOf(names)}) AS stored ON CONFLICT (name, kind) ${onConflict}`.execute(
    transaction,
  )
}

/** The subjects of all identities of an account, and other forms of its addresses. */
export async function namesOfAccount(kysely: Kysely<DB>, accountId: string): Promise<LinkedName[]> {
  // One statement per table, because the tables have different distribution keys.
  const subjects = await kysely
    .selectFrom('identities')
    .select(['subject as name', 'kind'])
    .where('account_id', '=', accountId)
    .execute()
  const aliases = await kysely
    .selectFrom('identity_aliases')
    .select(['alias as name', 'kind'])
    .where('account_id', '=', accountId)
    .execute()
  return [...subjects, ...aliases].map(({ name, kind }) => ({ name, kind: kindOfName(name, kind) }))
}
