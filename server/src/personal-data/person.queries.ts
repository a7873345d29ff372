import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { DB } from '../database/tables.ts'
import { isOfUser } from '../ranking/starboards/entries.queries.ts'
import type { LinkedIdentity, Names } from './names.ts'

export type Row = Record<string, unknown>
type Source = { from: RawBuilder<unknown>; without: readonly string[] }

const own = (table: keyof DB, accountId: string, ...without: string[]): Source => ({
  from: sql`${sql.table(table)} t WHERE t.account_id = ${accountId}`,
  without: ['account_id', ...without],
})

/** The ids under which queries are counted: tokens, the account itself (for its pages), and accounts merged into it. */
const countedFor = (accountId: string) => sql`
  SELECT token_id FROM server_tokens WHERE account_id = ${accountId} UNION ALL SELECT ${accountId}::uuid
  UNION ALL SELECT account_id FROM merged_accounts WHERE into_account_id = ${accountId}`

/**
 * The rows of an account by table. Excludes hashes and keys, which are not personal data, and rows that live for
 * minutes (challenges, codes, merge offers).
 */
const ofAccount = (accountId: string): Partial<Record<keyof DB, Source>> => ({
  accounts: own('accounts', accountId),
  account_profiles: own('account_profiles', accountId),
  usernames: own('usernames', accountId),
  identities: own('identities', accountId),
  identity_subjects: own('identity_subjects', accountId),
  identity_aliases: own('identity_aliases', accountId),
  linked_names: own('linked_names', accountId),
  passkeys: own('passkeys', accountId, 'public_key'),
  sessions: own('sessions', accountId, 'session_hash'),
  logout_notices: own('logout_notices', accountId, 'lease'),
  consents: own('consents', accountId),
  grants: own('grants', accountId, 'family'),
  operators: own('operators', accountId),
  quest_claims: own('quest_claims', accountId, 'key'),
  quiz_attempts: own('quiz_attempts', accountId),
  bans: own('bans', accountId, 'created_by', 'ended_by'),
  imports: own('imports', accountId, 'applied_by', 'undone_by', 'network', 'preview', 'problems', 'progress', 'runner'),
  server_tokens: own('server_tokens', accountId, 'token_hash'),
  token_usage: { from: sql`token_usage t WHERE t.token_id IN (${countedFor(accountId)})`, without: [] },
  token_requests: { from: sql`token_requests t WHERE t.token_id IN (${countedFor(accountId)})`, without: [] },
  quota_windows: { from: sql`quota_windows t WHERE t.token_id IN (${countedFor(accountId)})`, without: [] },
  persisted_documents: {
    from: sql`persisted_documents t WHERE t.token_id IN (${countedFor(accountId)})`,
    without: ['hash'],
  },
  ingest_tokens: own('ingest_tokens', accountId, 'token_hash'),
  webhook_endpoints: own('webhook_endpoints', accountId),
  security_events: {
    // Hides the operator's id, which older events contain.
    from: sql`(
      SELECT account_id, happened_at, event_id, event, client_id, address,
             CASE WHEN event = 'token.plan-changed' THEN details || '{"by": "operator"}' ELSE details END AS details
      FROM security_events WHERE account_id = ${accountId}
        OR account_id IN (SELECT account_id FROM merged_accounts WHERE into_account_id = ${accountId})) t`,
    without: [],
  },
  merged_accounts: { from: sql`merged_accounts t WHERE t.into_account_id = ${accountId}`, without: [] },
  apps: { from: sql`apps t WHERE t.owner_account_id = ${accountId}`, without: ['logo', 'proposed_logo'] },
  space_members: own('space_members', accountId),
  space_invitations: { from: sql`space_invitations t WHERE t.invited_by = ${accountId}`, without: ['code_hash'] },
  spaces: { from: sql`spaces t WHERE t.owner_account_id = ${accountId}`, without: [] },
  starboards: { from: sql`starboards t WHERE t.owner_account_id = ${accountId}`, without: [] },
  credentials: { from: sql`credentials t WHERE t.owner_account_id = ${accountId}`, without: [] },
})

export const tablesOfNames = (): string[] =>
  Object.keys(ofNames({ members: [], holders: [], x: { ids: [], handles: [] } }, []))

/** The rows under a name by table. Reads board by board and list by list, so that each lookup uses an index. */
const ofNames = ({ members, holders, x }: Names, questIds: readonly string[]): Partial<Record<keyof DB, Source>> => {
  const any = sql`ANY(${members}::text[])`
  const xUsers = sql`(
    SELECT starboard_id, handle FROM starboard_users
    WHERE user_id = ANY(${x.ids}::text[])
      OR handle = ANY(${x.handles}::text[]) AND (user_id = '' OR ${x.ids.length === 0})) u`
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
    rule_states: {
      from: sql`spaces s JOIN rule_states t ON t.space_id = s.space_id AND t.address = ${any}`,
      without: [],
    },
    rule_events: {
      from: sql`spaces s JOIN rule_events t ON t.space_id = s.space_id AND t.address = ${any}`,
      without: [],
    },
    rule_holders: {
      from: sql`credentials c JOIN rule_holders t ON t.credential_id = c.credential_id AND t.address = ${any}`,
      without: [],
    },
    referrals: {
      from: sql`spaces s JOIN referrals t ON t.space_id = s.space_id AND (t.address = ${any} OR t.referrer = ${any})`,
      without: [],
    },
    banned_entries: { from: sql`banned_entries t WHERE t.address = ${any}`, without: [] },
    bans: { from: sql`bans t WHERE t.address = ${any}`, without: ['created_by', 'ended_by'] },
    ban_addresses: { from: sql`ban_addresses t WHERE t.address = ${any}`, without: [] },
    award_keys: { from: sql`award_keys t WHERE t.address = ${any}`, without: [] },
    ledger_entries: {
      from: sql`spaces s JOIN ledger_entries t ON t.space_id = s.space_id AND t.address = ${any}`,
      without: ['actor'],
    },
    timed_awards: {
      from: sql`spaces s JOIN timed_awards t ON t.space_id = s.space_id AND t.address = ${any}`,
      without: [],
    },
    credential_holders: {
      from: sql`credentials c
        JOIN unnest(${holders.map(({ name }) => name)}::text[], ${holders.map(({ credType }) => credType)}::text[])
          AS n (name, cred_type) ON n.cred_type IS NULL OR n.cred_type = c.cred_type
        JOIN credential_holders t ON t.credential_id = c.credential_id
          AND t.generation = c.generation AND t.address = n.name COLLATE "C"`,
      without: ['generation'],
    },
    credential_checks: {
      from: sql`credential_checks t WHERE t.holder = ANY(${holders.map(({ name }) => name)}::text[])`,
      without: [],
    },
    chain_balances: { from: sql`chain_balances t WHERE t.address = ${any}`, without: [] },
    chain_logs: {
      from: sql`credentials c JOIN chain_logs t ON t.credential_id = c.credential_id AND t.address = ${any}`,
      without: ['scan', 'returned'],
    },
    quest_participants: {
      // A list, because quests have another distribution key.
      from: sql`quest_participants t WHERE t.quest_id = ANY(${questIds}) AND t.address = ${any}`,
      without: [],
    },
    starboard_links: {
      from: sql`(
        SELECT l.* FROM starboards s JOIN starboard_links l ON l.starboard_id = s.starboard_id AND l.evm_address = ${any}
        UNION SELECT l.* FROM ${xUsers} JOIN starboard_links l USING (starboard_id, handle)) t`,
      without: [],
    },
    starboard_users: {
      from: sql`${xUsers} JOIN starboard_users t ON t.starboard_id = u.starboard_id AND t.handle = u.handle`,
      without: [],
    },
    starboard_entries: {
      from: sql`${xUsers} JOIN (SELECT DISTINCT starboard_id, generation FROM starboard_rankings) r ON r.starboard_id = u.starboard_id
        JOIN starboard_entries t ON t.starboard_id = r.starboard_id AND ${sql.raw(isOfUser('t', 'r.generation', 'u.handle'))}`,
      without: ['descent'],
    },
    score_samples: {
      from: sql`${xUsers} JOIN score_samples t ON t.starboard_id = u.starboard_id AND t.handle = u.handle`,
      without: [],
    },
    // A message contains many members: export only the data of this person, without the webhook's owner.
    webhook_messages: {
      from: sql`(
        SELECT m.message_id, m.event_type, m.created_at, told.member FROM webhook_messages m
        CROSS JOIN LATERAL (SELECT m.payload::jsonb -> 'data' AS data) AS parsed
        CROSS JOIN LATERAL jsonb_array_elements(
          coalesce(data -> 'awards', data -> 'members', data -> 'completions', '[]')) AS told (member)
        WHERE m.event_type IN ('points.awarded', 'rank.entered', 'rank.left', 'quest.completed')
          AND EXISTS (SELECT FROM unnest(${members}::text[]) AS n (name) WHERE strpos(m.payload, to_json(n.name)::text) > 0)
          AND (told.member ->> 'address' = ${any} OR told.member ->> 'handle' = ANY(${x.handles}::text[]))) t`,
      without: [],
    },
  }
}

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

export async function readNames(db: Kysely<DB>, names: Names) {
  const quests = await db.selectFrom('quests').select('quest_id').execute()
  return readAll(
    db,
    ofNames(
      names,
      quests.map((quest) => quest.quest_id),
    ),
  )
}

/** The identities of an account, other forms of their addresses, and its own address. */
export async function identitiesOf(db: Kysely<DB>, accountId: string) {
  const identities: LinkedIdentity[] = await db
    .selectFrom('identities')
    .select(['kind', 'subject', 'username'])
    .where('account_id', '=', accountId)
    .execute()
  const aliases = await db.selectFrom('identity_aliases').select('alias').where('account_id', '=', accountId).execute()
  return { identities, aliases: aliases.map(({ alias }) => alias) }
}
