import { type Reader, statement, type Value } from '../database/statement.ts'
import type { Ground, Versioned } from '../graphql/grounds.ts'

// Reads the generation in the same snapshot, so a list that is being replaced is read as a whole.
const generation = '(SELECT generation FROM credentials WHERE credential_id = $1)'

/** Addresses, not handles: a handle can belong to different users on different platforms. */
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

/** What is looked up: an address as a holder of the credential, if it can be one, and as an identity of an account. */
export interface Sought {
  credentialId: string
  /** In the canonical form of the credential's type. */
  holder: string | undefined
  /** In the canonical form of any identity. */
  member: string | undefined
  /** The kind of the identities that hold the credential. */
  kind: string
}

/** Whether the address or a linked identity is on the credential's current list. */
export async function isOnList(reader: Reader, sought: Sought): Promise<{ held: boolean; grounds: Ground[] }> {
  const values: Value[] = [sought.credentialId, sought.holder ?? null, sought.member ?? null, sought.kind]
  const version = (await reader.read(holds, values))[0]?.version ?? ''
  // Every change of the list shows in the credential's row, but a change of the linked identities does not.
  const grounds = version === 'itself' ? [] : [{ statement: holds, values, version }]
  return { held: version === 'itself' || version === 'linked', grounds }
}

/** Limits the questions to an API for one look-up. */
const MAX_NAMES = 10

const linkedNames = statement<{ name: string }>(
  'holders.linked-names',
  `SELECT DISTINCT linked.name
   FROM linked_names own JOIN linked_names linked ON linked.account_id = own.account_id AND linked.kind = $2
   WHERE own.name = $1 AND own.kind <> $2 AND ${isAddress}
   ORDER BY linked.name LIMIT ${MAX_NAMES}`,
)

/** The names of the linked identities that can hold the credential. */
export async function findLinkedNames(reader: Reader, { member, kind }: Sought): Promise<string[]> {
  return (await reader.read(linkedNames, [member ?? null, kind])).map(({ name }) => name)
}
