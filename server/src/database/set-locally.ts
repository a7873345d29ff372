import { type Kysely, sql } from 'kysely'
import type { DB } from './tables.ts'

/**
 * Statements that change settings for the rest of a transaction. They use SET LOCAL, because a distributed engine sends
 * only this form to its other nodes. A server without Citus stores the first setting and ignores it.
 */
export function localSettings(settings: Record<string, string>): string {
  const own = Object.entries(settings).map(([name, value]) => `SET LOCAL ${name} = '${value}'`)
  return [`SET LOCAL citus.propagate_set_commands = 'local'`, ...own].join('; ')
}

export async function setLocally(trx: Kysely<DB>, settings: Record<string, string>): Promise<void> {
  await sql.raw(localSettings(settings)).execute(trx)
}
