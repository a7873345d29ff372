import type { Transaction } from 'kysely'
import type { DB } from '../database/tables.ts'
import type { Dependencies } from '../services.ts'
import { audit, NO_NETWORK, type SecurityEvent } from '../audit/audit.ts'

interface AboutToken {
  record: { accountId: string; tokenId: string; name: string }
}

type Within = Pick<Dependencies, 'clock' | 'random'> & { database: { kysely: Transaction<DB> } }

/** Changes a token and writes the audit entry in one transaction. */
export async function noteToken<About extends AboutToken>(
  deps: Dependencies,
  event: SecurityEvent,
  change: (within: Within) => Promise<About>,
): Promise<About> {
  return deps.database.kysely.transaction().execute(async (kysely) => {
    const about = await change({ clock: deps.clock, random: deps.random, database: { kysely } })
    const { accountId, tokenId, name } = about.record
    await audit(deps, { accountId, event, network: NO_NETWORK, details: { tokenId, name, by: 'command' } }, kysely)
    return about
  })
}
