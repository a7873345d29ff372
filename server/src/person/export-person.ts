import type { Kysely } from 'kysely'
import type { DB } from '../database/tables.ts'
import { addressesOf, readAccount, readAddresses, type Row } from './person.queries.ts'

/** What the installation holds about somebody, by table; tables without a row are left out. */
export interface PersonalData {
  exportedAt: string
  account?: Record<string, Row[]>
  addresses: string[]
  /** What stands under these addresses, whoever brought it in. */
  underAddresses: Record<string, Row[]>
}

/**
 * Gathers what is held about an account and every address that it has proved, or about an address alone, as of one
 * moment. Undefined when there is no such account.
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
        return { exportedAt, addresses: [who.address], underAddresses: await readAddresses(trx, [who.address]) }
      const account = await readAccount(trx, who.accountId)
      if (!account.accounts) return undefined
      const addresses = await addressesOf(trx, who.accountId)
      return { exportedAt, account, addresses, underAddresses: await readAddresses(trx, addresses) }
    })
}
