import { type Reader, statement, type Value } from '@questboard/pg-read-pipeline'
import type { CacheValidator, Versioned } from '../graphql/cache-validators.ts'

// Reads the generation in the same snapshot, so that a list is never read half replaced.
const generation = '(SELECT generation FROM credentials WHERE credential_id = $1)'

/** Handles are excluded: a handle can belong to different users on different platforms. */
const isAddress = `own.kind NOT IN ('Twitter', 'Discord', 'Github')`

const holds = statement<Versioned>(
  'holders.holds',
  `SELECT CASE
     WHEN EXISTS (
       SELECT FROM credential_holders h
       WHERE h.credential_id = $1 AND h.address = $2 AND h.generation = ${generation}
     ) THEN 'itself'
     WHEN EXISTS (
       SELECT FROM linked_names own
       JOIN linked_names linked ON linked.account_id = own.account_id AND linked.kind = $4
       JOIN credential_holders h
         ON h.credential_id = $1 AND h.address = linked.name AND h.generation = ${generation}
       WHERE own.name = $3 AND own.kind <> $4 AND ${isAddress}
     ) THEN 'linked'
     ELSE 'none'
   END AS version`,
  ([version]) => ({ version: version ?? '' }),
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
  const values: Value[] = [sought.credentialId, sought.holder ?? null, sought.member ?? null, sought.kind]
  const version = (await reader.read(holds, values))[0]?.version ?? ''
  // A change of the list changes the credential's row, but a change of linked identities does not.
  const validators = version === 'itself' ? [] : [{ statement: holds, values, version }]
  return { held: version === 'itself' || version === 'linked', validators }
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
