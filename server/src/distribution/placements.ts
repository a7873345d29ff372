import type { DB } from '../database/tables.ts'

/** The placement of a table: its rows distributed by a column, a copy on each node, or on the coordinator. */
export type Placement = { kind: 'distributed'; column: string } | { kind: 'reference' } | { kind: 'local' }

export type Table = keyof DB | 'schema_migrations'

const by = (column: string): Placement => ({ kind: 'distributed', column })
/** Small, and joined with or referenced by distributed tables. */
const everywhere: Placement = { kind: 'reference' }
/** Small, or scanned as a whole; never in one statement with a distributed table. */
const coordinator: Placement = { kind: 'local' }

/**
 * The placement of all tables. Tables that grow with the members are distributed; tables with the same column are
 * co-located.
 */
export const placements: Readonly<Record<Table, Placement>> = {
  // Loyalty boards: co-located by space.
  spaces: everywhere,
  sprints: by('space_id'),
  boards: by('space_id'),
  board_entries: by('space_id'),
  board_past: by('space_id'),
  space_versions: by('space_id'),
  space_version_times: by('space_id'),
  point_events: by('space_id'),
  rank_days: by('space_id'),
  rank_day_boards: by('space_id'),

  // Names of members on all boards. The changes contain transaction ids, which are valid on one node only.
  profiles: by('address'),
  profile_changes: coordinator,

  // Starboards
  starboards: everywhere,
  starboard_users: by('starboard_id'),
  starboard_links: by('starboard_id'),
  score_samples: by('starboard_id'),
  starboard_rankings: by('starboard_id'),
  starboard_ranks: by('starboard_id'),
  starboard_changes: by('starboard_id'),
  starboard_refreshes: by('starboard_id'),
  starboard_histories: by('starboard_id'),

  // Credentials are small, their holder lists are large.
  credentials: everywhere,
  credential_generations: everywhere,
  credential_sources: everywhere,
  chain_checkpoints: everywhere,
  credential_holders: by('credential_id'),
  chain_balances: by('credential_id'),

  // Quests: one small list sorted by time; participants are many.
  quests: everywhere,
  quest_credential_groups: everywhere,
  quest_conditions: everywhere,
  quest_rewards: everywhere,
  quest_transitions: everywhere,
  quest_catalogue: everywhere,
  quest_counts: everywhere,
  quest_listings: everywhere,
  quest_participants: by('quest_id'),

  // Access
  plans: everywhere,
  server_tokens: everywhere,
  ingest_tokens: everywhere,
  quota_windows: by('token_id'),
  token_usage: by('token_id'),

  // Identities, names, sessions and passkeys are looked up by their own keys, which lead to the account.
  accounts: by('account_id'),
  account_profiles: by('account_id'),
  identities: by('account_id'),
  operators: by('account_id'),
  merged_accounts: everywhere,
  // Joined with holders.
  linked_names: everywhere,
  security_events: by('account_id'),
  consents: by('account_id'),
  usernames: by('username'),
  identity_subjects: by('subject'),
  identity_aliases: by('alias'),
  passkeys: by('passkey_id'),
  sessions: by('session_hash'),
  challenges: by('challenge_id'),
  merge_offers: by('offer_id'),
  attempt_windows: by('name'),

  // OAuth: a code and its tokens share a family.
  apps: everywhere,
  app_secrets: everywhere,
  authorizations: by('authorization_id'),
  authorization_codes: by('family'),
  grants: by('family'),
  access_tokens: by('family'),
  refresh_tokens: by('family'),
  signing_keys: coordinator,

  // Webhooks: the queue is scanned over all endpoints, to serve them fairly.
  webhook_endpoints: coordinator,
  webhook_secrets: coordinator,
  webhook_subscriptions: coordinator,
  webhook_messages: coordinator,
  webhook_attempts: coordinator,

  // The installation. The job queue (schema jobs) is on the coordinator too.
  installation: coordinator,
  scheduled_tasks: coordinator,
  schema_migrations: coordinator,
}

export interface ForeignKey {
  name: string
  table: string
  columns: string[]
  target: string
  targetColumns: string[]
}

/**
 * Whether a cluster can enforce a foreign key: to a reference table, between co-located tables if the key contains the
 * column, or between tables of the coordinator.
 */
export function canHold(key: ForeignKey, placed: Readonly<Record<string, Placement>> = placements): boolean {
  const from = placed[key.table]
  const to = placed[key.target]
  if (!from || !to) return false
  if (to.kind === 'reference') return true
  if (to.kind === 'local') return from.kind === 'local'
  if (from.kind !== 'distributed' || from.column !== to.column) return false
  const place = key.columns.indexOf(from.column)
  return place >= 0 && key.targetColumns[place] === to.column
}

export function describePlacement(placement: Placement): string {
  if (placement.kind === 'distributed') return `by ${placement.column}`
  return placement.kind === 'reference' ? 'on every node' : 'on the coordinator'
}
