import { type Reader, statement } from '../database/statement.ts'
import { sharedLookUp } from '../database/shared-look-up.ts'

interface Holder {
  credentialId: string
  address: string
}

// The generation is read in the same snapshot: a list that is replaced meanwhile answers whole, before or after.
const holdersAmong = statement<{ address: string }>(
  'holders.among',
  `SELECT address FROM credential_holders
   WHERE credential_id = $1 AND generation = (SELECT generation FROM credentials WHERE credential_id = $1)
     AND address = ANY($2::text[])`,
  ([address]) => ({ address: address as string }),
)

const nameOf = ({ credentialId, address }: Holder): string => `${credentialId} ${address}`

const findHolder = sharedLookUp<Holder, true>(nameOf, async (reader, asked) => {
  const found = new Map<string, true>()
  const lists = Map.groupBy(asked, ({ credentialId }) => credentialId)
  const read = async ([credentialId, those]: [string, Holder[]]): Promise<void> => {
    const rows = await reader.read(holdersAmong, [credentialId, those.map(({ address }) => address)])
    for (const { address } of rows) found.set(nameOf({ credentialId, address }), true)
  }
  await Promise.all([...lists].map(read))
  return found
})

/** Whether an address, in its canonical form, stands in the credential's current list. */
export async function holdsCredential(reader: Reader, credentialId: string, address: string): Promise<boolean> {
  return (await findHolder(reader, { credentialId, address })) === true
}
