import { listAccountAddresses, listIdentities } from '../../accounts/account.queries.ts'
import type { Services } from '../../services.ts'

/** The addresses of an account that boards can name, and its email address. */
export async function ownMembers({ database }: Services, accountId: string): Promise<string[]> {
  const identities = await listIdentities(database.kysely, accountId)
  // Null for a contract wallet: on other chains its address can have another owner.
  const linked = identities
    .filter(({ kind, useForEligibility }) => /Address$|^Email$/.test(kind) && useForEligibility !== null)
    .map(({ subject }) => subject)
  return [...linked, ...(await listAccountAddresses(database.kysely, accountId))]
}
