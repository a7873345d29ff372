import type { Kysely } from 'kysely'
import type { DB } from '../database/tables.ts'
import { namesOfIdentities, namesOfMember } from './names.ts'
import type { Site } from '../settings/site.ts'
import { avatarUrl } from '../settings/uploaded-picture.ts'
import { identitiesOf, readAccount, readNames, type Row } from './person.queries.ts'

/** All data about a person, by table; without empty tables. */
export interface PersonalData {
  exportedAt: string
  account?: Record<string, Row[]>
  /** Including mail addresses and platform handles, as of the last sign-in with them. */
  addresses: string[]
  /** Rows under these names, and under the account's platform ids, regardless of their source. */
  underAddresses: Record<string, Row[]>
}

/**
 * Exports the data of an account with all its proven addresses and handles, or of one address or handle, in one
 * snapshot. Returns undefined if the account does not exist.
 */
export async function exportPerson(
  kysely: Kysely<DB>,
  who: { accountId: string } | { address: string },
  now: number,
  site: Pick<Site, 'issuer'>,
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
          underAddresses: withUrls(await readNames(trx, namesOfMember(who.address)), site),
        }
      const account = await readAccount(trx, who.accountId)
      if (!account.accounts) return undefined
      const { identities, aliases } = await identitiesOf(trx, who.accountId)
      const names = namesOfIdentities(identities, aliases)
      return {
        exportedAt,
        account: withUrls(account, site),
        addresses: names.members,
        underAddresses: withUrls(await readNames(trx, names), site),
      }
    })
}

const AVATARS = ['avatar', 'own_avatar']

/** Replaces the stored paths of pictures by URLs. */
const withUrls = (tables: Record<string, Row[]>, site: Pick<Site, 'issuer'>): Record<string, Row[]> => {
  const shown = ([column, value]: [string, unknown]) =>
    [column, AVATARS.includes(column) && typeof value === 'string' ? avatarUrl(value, site) : value] as const
  return Object.fromEntries(
    Object.entries(tables).map(([table, rows]) => [
      table,
      rows.map((row) => Object.fromEntries(Object.entries(row).map(shown))),
    ]),
  )
}
