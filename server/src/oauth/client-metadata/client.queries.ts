import { type Kysely, sql } from 'kysely'
import { INSTALLATION } from '../../audit/audit.ts'
import type { DB } from '../../database/tables.ts'
import { MCP } from '../../settings/scopes.ts'
import type { ClientDocument } from './document.ts'

/** When the copy of a document was fetched, and whether its client is approved. */
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

/** Stores the copy of a document. The decision of an operator about the client stays; a change is a new revision. */
export async function saveClient(
  kysely: Kysely<DB>,
  { clientId, url, now, ...document }: ClientDocument & { clientId: string; url: string; now: Date },
): Promise<void> {
  const copied = { name: document.name, redirect_uris: document.redirectUris, metadata_at: now }
  await kysely
    .insertInto('apps')
    .values({
      ...copied,
      client_id: clientId,
      metadata_url: url,
      owner_account_id: INSTALLATION,
      purpose: '',
      status: 'approved',
      scopes: [MCP],
      expiring_tokens: true,
      s256_only: true,
      public_client: true,
      created_at: now,
    })
    .onConflict((conflict) =>
      conflict.column('client_id').doUpdateSet({
        ...copied,
        revision: sql`apps.revision + (apps.name <> excluded.name OR apps.redirect_uris <> excluded.redirect_uris)::int`,
      }),
    )
    .execute()
}
