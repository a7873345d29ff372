import { createIngestToken } from '../../server/src/access/ingest-tokens.ts'
import { findOrCreateAccount } from '../../server/src/access/server-tokens.queries.ts'
import { systemClock } from '../../server/src/clock.ts'
import type { Database } from '../../server/src/database/connection.ts'
import { systemRandom } from '../../server/src/random.ts'

/** A token that may write everything. */
export async function ingestToken(database: Database): Promise<string> {
  const account = { accountId: systemRandom.uuid(), name: 'bench', createdAt: new Date(systemClock.now()) }
  const accountId = await findOrCreateAccount(database.kysely, account)
  const scope = { spaces: 'all', starboards: 'all', credentials: 'all' } as const
  const deps = { database, clock: systemClock, random: systemRandom }
  return (await createIngestToken(deps, { accountId, name: 'bench', ...scope })).token
}
