import type { Kysely, Transaction } from 'kysely'
import { INSTALLATION } from '../../audit/audit.ts'
import type { DB } from '../../database/tables.ts'
import { MCP } from '../../settings/scopes.ts'
import { changedFields, type ClientDocument } from './document.ts'

/** The time at which the copy of a document was fetched, and whether its client is approved. */
export async function findCopy(
  kysely: Kysely<DB>,
  clientId: string,
): Promise<{ fetchedAt: Date; approved: boolean } | undefined> {
  const row = await kysely
    .selectFrom('apps')
    .select(['metadata_at', 'status'])
    .where('client_id', '=', clientId)
    .executeTakeFirst()
  if (!row?.metadata_at) return undefined
  return { fetchedAt: row.metadata_at, approved: row.status === 'approved' }
}

export interface Copy extends ClientDocument {
  clientId: string
  url: string
  /** The start of the fetch. */
  fetchedAt: Date
}

/**
 * Stores the copy of a document, unless the stored copy is of a later fetch. The status of the client stays. A change
 * increments the revision. Returns the document before a change.
 */
export async function saveClient(transaction: Transaction<DB>, copy: Copy): Promise<ClientDocument | undefined> {
  if (await insertClient(transaction, copy)) return undefined
  const stored = await transaction
    .selectFrom('apps')
    .select(['name', 'redirect_uris', 'metadata_at'])
    .where('client_id', '=', copy.clientId)
    .forUpdate()
    .executeTakeFirst()
  // Between the two statements, the sweep can delete a client that has no users.
  if (!stored) await insertClient(transaction, copy)
  if (!stored?.metadata_at || stored.metadata_at > copy.fetchedAt) return undefined
  const before = { name: stored.name, redirectUris: stored.redirect_uris }
  const isChanged = changedFields(before, copy).length > 0
  await transaction
    .updateTable('apps')
    .set((eb) => ({ ...columnsOf(copy), ...(isChanged && { revision: eb('revision', '+', 1) }) }))
    .where('client_id', '=', copy.clientId)
    .execute()
  return isChanged ? before : undefined
}

/** Returns false if the client has a copy. */
async function insertClient(transaction: Transaction<DB>, copy: Copy): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await transaction
    .insertInto('apps')
    .values({
      ...columnsOf(copy),
      client_id: copy.clientId,
      metadata_url: copy.url,
      owner_account_id: INSTALLATION,
      purpose: '',
      status: 'approved',
      scopes: [MCP],
      expiring_tokens: true,
      s256_only: true,
      public_client: true,
      created_at: copy.fetchedAt,
    })
    .onConflict((conflict) => conflict.column('client_id').doNothing())
    .executeTakeFirstOrThrow()
  return numInsertedOrUpdatedRows === 1n
}

const columnsOf = ({ name, redirectUris, fetchedAt }: Copy) => ({
  name,
  redirect_uris: redirectUris,
  metadata_at: fetchedAt,
})
