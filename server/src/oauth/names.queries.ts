import type { Database } from '../database/connection.ts'
import { statement } from '@questboard/pg-read-pipeline'

const namesOfAccount = statement<{ kind: string; subject: string; username: string | null }>(
  'oauth.names',
  `SELECT kind, subject, username FROM identities WHERE account_id = $1
   UNION ALL SELECT 'ServiceID', account_id::text, name FROM accounts WHERE account_id = $1`,
)

export interface Names {
  /** The current username of an identity; undefined if it has none or is not linked. */
  of(kind: string, subject: string): string | undefined
}

export async function currentNames(database: Database, accountId: string): Promise<Names> {
  const rows = await database.read(namesOfAccount, [accountId])
  return {
    of: (kind, subject) => rows.find((row) => row.kind === kind && row.subject === subject)?.username ?? undefined,
  }
}
