import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { DB } from '../database/tables.ts'

export type Row = Record<string, unknown>
type Source = { from: RawBuilder<unknown>; without: readonly string[] }

const own = (table: keyof DB, accountId: string, ...without: string[]): Source => ({
  from: sql`${sql.table(table)} t WHERE t.account_id = ${accountId}`,
  without: ['account_id', ...without],
})

/**
 * Where an account stands, by table. What is left out: hashes and keys, which say nothing of a person, and what lives for
 * minutes (challenges, codes, offers to merge).
 */
const ofAccount = (accountId: string): Partial<Record<keyof DB, Source>> => ({
  accounts: own('accounts', accountId),
  account_profiles: own('account_profiles', accountId),
  usernames: own('usernames', accountId),
  identities: own('identities', accountId),
  identity_subjects: own('identity_subjects', accountId),
  identity_aliases: own('identity_aliases', accountId),
  passkeys: own('passkeys', accountId, 'public_key'),
  sessions: own('sessions', accountId, 'session_hash'),
  consents: own('consents', accountId),
  grants: own('grants', accountId, 'family'),
  operators: own('operators', accountId),
  server_tokens: own('server_tokens', accountId, 'token_hash'),
  token_usage: {
    from: sql`token_usage t WHERE t.token_id IN (SELECT token_id FROM server_tokens WHERE account_id = ${accountId})`,
    without: [],
  },
  ingest_tokens: own('ingest_tokens', accountId, 'token_hash'),
  webhook_endpoints: own('webhook_endpoints', accountId),
  security_events: {
    from: sql`security_events t WHERE t.account_id = ${accountId}
      OR t.account_id IN (SELECT account_id FROM merged_accounts WHERE into_account_id = ${accountId})`,
    without: [],
  },
  merged_accounts: { from: sql`merged_accounts t WHERE t.into_account_id = ${accountId}`, without: [] },
  starboard_users: {
    from: sql`starboard_users t JOIN identities i ON i.kind = 'Twitter' AND i.subject = t.user_id
      WHERE i.account_id = ${accountId}`,
    without: [],
  },
  apps: { from: sql`apps t WHERE t.owner_account_id = ${accountId}`, without: ['logo'] },
  spaces: { from: sql`spaces t WHERE t.owner_account_id = ${accountId}`, without: [] },
  starboards: { from: sql`starboards t WHERE t.owner_account_id = ${accountId}`, without: [] },
  credentials: { from: sql`credentials t WHERE t.owner_account_id = ${accountId}`, without: [] },
})

/** The tables that are looked at for addresses. */
export const tablesOfAddresses = (): string[] => Object.keys(ofAddresses([]))

/** Where addresses stand, board by board and list by list, so that each look is one of an index. */
const ofAddresses = (addresses: readonly string[]): Partial<Record<keyof DB, Source>> => {
  const any = sql`ANY(${addresses}::text[])`
  return {
    profiles: { from: sql`profiles t WHERE t.address = ${any}`, without: [] },
    board_entries: {
      from: sql`boards b JOIN board_entries t ON t.space_id = b.space_id AND t.sprint_id = b.sprint_id
        AND t.address = ${any}`,
      without: ['born', 'descent'],
    },
    rank_days: {
      from: sql`rank_day_boards b JOIN rank_days t ON t.space_id = b.space_id AND t.sprint_id = b.sprint_id
        AND t.address = ${any}`,
      without: [],
    },
    point_events: { from: sql`point_events t WHERE t.address = ${any}`, without: [] },
    credential_holders: {
      from: sql`credentials c JOIN credential_holders t ON t.credential_id = c.credential_id
        AND t.generation = c.generation AND t.address = ${any}`,
      without: ['generation'],
    },
    chain_balances: { from: sql`chain_balances t WHERE t.address = ${any}`, without: [] },
    quest_participants: {
      from: sql`quests q JOIN quest_participants t ON t.quest_id = q.quest_id AND t.address = ${any}`,
      without: [],
    },
    starboard_links: {
      from: sql`starboards s JOIN starboard_links t ON t.starboard_id = s.starboard_id AND t.evm_address = ${any}`,
      without: [],
    },
  }
}

/** The tables that an export of an account looks at. */
export const tablesOfAccount = (): string[] => Object.keys(ofAccount(''))

async function readAll(db: Kysely<DB>, sources: Partial<Record<keyof DB, Source>>): Promise<Record<string, Row[]>> {
  const found: Record<string, Row[]> = {}
  for (const [table, { from, without }] of Object.entries<Source>(sources)) {
    const { rows } = await sql<{ row: Row }>`
      SELECT to_jsonb(t) - ${[...without]}::text[] AS row FROM ${from}`.execute(db)
    if (rows.length > 0) found[table] = rows.map(({ row }) => row)
  }
  return found
}

export const readAccount = (db: Kysely<DB>, accountId: string) => readAll(db, ofAccount(accountId))
export const readAddresses = (db: Kysely<DB>, addresses: readonly string[]) => readAll(db, ofAddresses(addresses))

/** Every spelling of the addresses that an account has proved. */
export async function addressesOf(db: Kysely<DB>, accountId: string): Promise<string[]> {
  const { rows } = await sql<{ address: string }>`
    SELECT subject AS address FROM identities WHERE account_id = ${accountId} AND kind LIKE '%Address'
    UNION SELECT alias FROM identity_aliases WHERE account_id = ${accountId} ORDER BY 1`.execute(db)
  return rows.map(({ address }) => address)
}
