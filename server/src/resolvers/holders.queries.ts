import { type Reader, statement, textArray, type Value } from '@questboard/pg-read-pipeline'
import type { Kysely } from 'kysely'
import { ACCOUNT_ADDRESS } from '../addresses/account-address.ts'
import { preparedWrite } from '../database/prepared-write.ts'
import type { DB } from '../database/tables.ts'
import type { CacheValidator, Versioned } from '../graphql/cache-validators.ts'

// Reads the generation in the same snapshot, so that a list is never read half replaced.
const generation = '(SELECT generation FROM credentials WHERE credential_id = $1)'

/** Handles and ids are excluded: they can belong to different users on different platforms. */
const isAddress = `own.kind NOT IN ('Twitter', 'Discord', 'Github', 'Telegram')`

/**
 * Whether `holder` itself, an identity of kind $4 on the account of `member`, or this account is on the list of credential
 * $1.
 */
const listed = (holder: string, member: string) => `CASE
     WHEN EXISTS (
       SELECT FROM credential_holders h
       WHERE h.credential_id = $1 AND h.address = ${holder} AND h.generation = ${generation}
     ) THEN 'itself'
     WHEN EXISTS (
       SELECT FROM linked_names own
       JOIN linked_names linked ON linked.account_id = own.account_id
         AND (linked.kind = '${ACCOUNT_ADDRESS}' OR linked.kind = $4 AND own.kind <> $4)
       JOIN credential_holders h
         ON h.credential_id = $1 AND h.address = linked.name AND h.generation = ${generation}
       WHERE own.name = ${member} AND ${isAddress}
     ) THEN 'linked'
     ELSE 'none'
   END`

/**
 * Whether the address itself is on the list, or else is an identity of an account. It joins nothing, because most
 * addresses are holders themselves, or belong to no account; `holdsLinked` decides about the others.
 */
const holds = statement<Versioned>(
  'holders.holds',
  `SELECT CASE
     WHEN EXISTS (
       SELECT FROM credential_holders h
       WHERE h.credential_id = $1 AND h.address = $2 AND h.generation = ${generation}
     ) THEN 'itself'
     WHEN EXISTS (SELECT FROM linked_names own WHERE own.name = $3 AND ${isAddress}) THEN 'has an account'
     ELSE 'none'
   END AS version`,
  ([version]) => ({ version: version ?? '' }),
)

const holdsLinked = statement<Versioned>(
  'holders.holds-linked',
  `SELECT ${listed('$2', '$3')} AS version`,
  ([version]) => ({
    version: version ?? '',
  }),
)

// One statement of many look-ups, in a transaction.
const holdTogether = preparedWrite<{ held: boolean }>(
  'holders.hold-together',
  `SELECT ${listed('s.holder', 's.member')} <> 'none' AS held
   FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS s (holder, member, place) ORDER BY place`,
)

/** An address to look up as a holder and as an identity of an account. */
export interface Sought {
  credentialId: string
  /** The canonical form for the credential's type; undefined if invalid for it. */
  holder: string | undefined
  /** The canonical form of any identity. */
  member: string | undefined
  /** The kind of identities that can hold the credential. */
  kind: string
}

/** Whether the address or a linked identity is on the current list. */
export async function isOnList(
  reader: Reader,
  sought: Sought,
): Promise<{ held: boolean; validators: CacheValidator[] }> {
  const values: Value[] = [sought.credentialId, sought.holder ?? null, sought.member ?? null]
  const find = async (statement: typeof holds, values: readonly Value[]) => {
    const version = (await reader.read(statement, values))[0]?.version ?? ''
    return { statement, values, version }
  }
  let found = await find(holds, values)
  if (found.version === 'has an account') found = await find(holdsLinked, [...values, sought.kind])
  // A change of the list changes the credential's row, but a change of linked identities does not.
  const validators = found.version === 'itself' ? [] : [found]
  return { held: found.version === 'itself' || found.version === 'linked', validators }
}

/** Whether each holder is on the current list of the credential. All must have one credential. */
export async function areOnList(trx: Kysely<DB>, sought: readonly Sought[]): Promise<boolean[]> {
  const [first] = sought
  if (!first) return []
  // Names are not empty, so '' is on no list.
  const rows = await holdTogether(trx, [
    first.credentialId,
    textArray(sought.map(({ holder }) => holder ?? '')),
    textArray(sought.map(({ member }) => member ?? '')),
    first.kind,
  ])
  return rows.map(({ held }) => held)
}

/** Limits API requests per lookup. */
const MAX_NAMES = 10

const linkedNames = statement<{ name: string }>(
  'holders.linked-names',
  `SELECT DISTINCT linked.name
   FROM linked_names own JOIN linked_names linked ON linked.account_id = own.account_id AND linked.kind = $2
   WHERE own.name = $1 AND own.kind <> $2 AND ${isAddress}
   ORDER BY linked.name LIMIT ${MAX_NAMES}`,
)

export async function findLinkedNames(reader: Reader, { member, kind }: Sought): Promise<string[]> {
  return (await reader.read(linkedNames, [member ?? null, kind])).map(({ name }) => name)
}
