import type { Kysely } from 'kysely'
import type { DB } from '../database/tables.ts'
import { namesOfIdentities, namesOfMember } from './names.ts'
import { identitiesOf, readAccount, readNames, type Row } from './person.queries.ts'

/** What the installation holds about somebody, by table; tables without a row are left out. */
export interface PersonalData {
  exportedAt: string
  account?: Record<string, Row[]>
  /** With mail addresses and the handles of platforms, as they were when the account signed in there last. */
  addresses: string[]
  /** What stands under these, and under the account's ids at the platforms, whoever brought it in. */
  underAddresses: Record<string, Row[]>
}

/**
 * Gathers what is held about an account and every address and handle that it has proved, or about an address or handle
 * alone, as of one moment. Undefined when there is no such account.
 */
export async function exportPerson(
  kysely: Kysely<DB>,
  who: { accountId: string } | { address: string },
  now: number,
): Promise<PersonalData | undefined> {
  return kysely
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (trx) => {
      const exportedAt = new Date(now).toISOString()
      if ('address' in who)
        return {
          exportedAt,
          addresses: [who.address],
          underAddresses: await readNames(trx, namesOfMember(who.address)),
        }
      const account = await readAccount(trx, who.accountId)
      if (!account.accounts) return undefined
      const { identities, aliases } = await identitiesOf(trx, who.accountId)
      const names = namesOfIdentities(identities, aliases)
      return { exportedAt, account, addresses: names.members, underAddresses: await readNames(trx, names) }
    })
}
