import { type Kysely, sql } from 'kysely'
import type { DB } from '../database/tables.ts'
import { accountsWith } from '../teams/roles.queries.ts'

/** The accounts that own or manage a space, starboard or credential; for a credential also those of its curator's space. */
export type Owners = readonly string[]

const TYPES = { space: 'int', starboard: 'text', credential: 'bigint' } as const
const SUBJECTS = {
  space: sql`SELECT 'space:' || space_id AS subject, ${accountsWith('manage', 's')} AS owners FROM spaces s
    WHERE space_id = ANY`,
  starboard: sql`SELECT 'starboard:' || starboard_id AS subject, array_remove(ARRAY[owner_account_id]::text[], NULL) AS owners FROM starboards
    WHERE starboard_id = ANY`,
  credential: sql`SELECT 'credential:' || c.credential_id AS subject,
      array_remove(ARRAY[c.owner_account_id]::text[] || ${accountsWith('manage', 's')}, NULL) AS owners
    FROM credentials c LEFT JOIN spaces s ON s.space_id = c.curator_space_id WHERE c.credential_id = ANY`,
}

/** The owners of existing subjects (`space:40`, …). One statement per kind, because they have different distribution keys. */
export async function ownersOf(kysely: Kysely<DB>, subjects: readonly string[]): Promise<Map<string, Owners>> {
  const found = new Map<string, Owners>()
  for (const kind of ['space', 'starboard', 'credential'] as const) {
    const ids = subjects.filter((subject) => subject.startsWith(`${kind}:`)).map((one) => one.slice(kind.length + 1))
    if (ids.length === 0) continue
    const { rows } = await sql<{ subject: string; owners: Owners }>`
      ${SUBJECTS[kind]} (${ids}::${sql.raw(TYPES[kind])}[])`.execute(kysely)
    for (const { subject, owners } of rows) found.set(subject, owners)
  }
  return found
}
