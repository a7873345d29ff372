import { type Kysely, sql } from 'kysely'
import type { DB } from '../database/tables.ts'

const usedIn = ['consents', 'authorizations', 'authorization_codes', 'grants'] as const

/**
 * Deletes clients with a metadata document that was last fetched before a time, if no account uses them. Clients that an
 * operator has suspended stay.
 * @returns how many were deleted; at most `limit`
 */
export async function deleteUnusedClients(kysely: Kysely<DB>, before: Date, limit: number): Promise<number> {
  let deleted = 0
  // Clients that are in use stay in the table. Each query continues after the last client ID, to not read them again.
  for (let last: string | undefined = ''; deleted < limit;) {
    const old = await oldClients(kysely, before, last, limit)
    last = old.at(-1)
    if (last === undefined) break
    const unused = await withoutUsers(kysely, old)
    deleted += await deleteClients(kysely, unused.slice(0, limit - deleted), before)
  }
  return deleted
}

async function oldClients(kysely: Kysely<DB>, before: Date, after: string, limit: number): Promise<string[]> {
  const rows = await kysely
    .selectFrom('apps')
    .select('client_id')
    .where('metadata_at', '<', before)
    .where('status', '=', 'approved')
    .where('client_id', '>', after)
    .orderBy('client_id')
    .limit(limit)
    .execute()
  return rows.map(({ client_id }) => client_id)
}

/** One statement per table, because on a cluster these tables and `apps` have different distribution keys. */
async function withoutUsers(kysely: Kysely<DB>, clientIds: string[]): Promise<string[]> {
  const ids = new Set(clientIds)
  for (const table of usedIn) {
    const used = await kysely
      .selectFrom(table)
      .select('client_id')
      .distinct()
      .where(isOneOf([...ids]))
      .execute()
    for (const { client_id } of used) ids.delete(client_id)
  }
  return [...ids]
}

/** Leaves clients whose document was fetched again since, or that an operator has suspended since. */
async function deleteClients(kysely: Kysely<DB>, clientIds: string[], before: Date): Promise<number> {
  const { numDeletedRows } = await kysely
    .deleteFrom('apps')
    .where(isOneOf(clientIds))
    .where('metadata_at', '<', before)
    .where('status', '=', 'approved')
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}

const isOneOf = (clientIds: string[]) => sql<boolean>`client_id = ANY (${clientIds}::text[])`
