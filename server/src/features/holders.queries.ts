import { type Reader, statement } from '../database/statement.ts'

// The generation is read in the same snapshot: a list that is replaced meanwhile answers whole, before or after.
const holds = statement<{ holds: boolean }>(
  'holders.holds',
  `SELECT EXISTS (
     SELECT FROM credential_holders h
     WHERE h.credential_id = $1 AND h.address = $2
       AND h.generation = (SELECT generation FROM credentials WHERE credential_id = $1)
   ) AS holds`,
  ([holds]) => ({ holds: holds === 't' }),
)

/** Whether an address, in its canonical form, stands in the credential's current list. */
export async function holdsCredential(reader: Reader, credentialId: string, address: string): Promise<boolean> {
  return (await reader.read(holds, [credentialId, address]))[0]?.holds ?? false
}
