import type { Database } from '../database/connection.ts'
import { statement } from '@questboard/pg-read-pipeline'

// Connections of the request path are read-only, so this checks whether a new session could write.
const alive = statement<{ writes: boolean }>(
  'health.alive',
  `SELECT NOT (pg_is_in_recovery() OR reset_val = 'on') AS writes FROM pg_settings WHERE name = 'default_transaction_read_only'`,
)

/** @returns whether the database accepts writes @throws if it does not respond */
export async function takesWrites({ read, pool }: Pick<Database, 'read' | 'pool'>): Promise<boolean> {
  if ((await read(alive, []))[0]?.writes) return true
  // That session may have begun when the database was read-only, so a new session is tried.
  const client = await pool.connect()
  try {
    const { rows } = await client.query<{ transaction_read_only: string }>('SHOW transaction_read_only')
    return rows[0]?.transaction_read_only === 'off'
  } finally {
    client.release(true)
  }
}
