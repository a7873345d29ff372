import type { DB } from '../database/tables.ts'

/**
 * The placement of a table. `distributed`: rows are distributed by a column. `single`: on one worker, with the other
 * `single` tables. `reference`: a copy on each node. `local`: on the coordinator.
 */
export type Placement =
  { kind: 'distributed'; column: string } | { kind: 'single' } | { kind: 'reference' } | { kind: 'local' }

export type Table = keyof DB | 'schema_migrations'

const by = (column: string): Placement => ({ kind: 'distributed', column })
/** For small tables that change rarely: each change waits for other changes of the table, and for all nodes. */
const everywhere: Placement = { kind: 'reference' }
/** For small tables with frequent changes that are read as lists and joined with each other. */
const oneWorker: Placement = { kind: 'single' }
/** For tables that are small or scanned as a whole. No statement may join them with a distributed table. */
const coordinator: Placement = { kind: 'local' }

/**
 * The placement of all tables. Tables that grow with the members are distributed; tables with the same column are
 * co-located.
 */
export const placements: Readonly<Record<Table, Placement>> = {
  // Loyalty boards: co-located by space.
  spaces: everywhere,
  space_pages: everywhere,
  space_members: everywhere,
  space_invitations: everywhere,
  sprints: by('space_id'),
  boards: by('space_id'),
  board_entries: by('space_id'),
  board_past: by('space_id'),
  other_board_changes: by('space_id'),
  space_versions: by('space_id'),
  space_version_times: by('space_id'),
  award_keys: by('space_id'),
  ledger_entries: by('space_id'),
  ledger_openings: by('space_id'),
  timed_awards: by('space_id'),
  ledger_seals: by('space_id'),
  ledger_salts: by('space_id'),
  board_moves: by('space_id'),
  board_counts: by('space_id'),
  board_counted: by('space_id'),
  rank_days: by('space_id'),
  rank_day_boards: by('space_id'),
  member_days: by('space_id'),
  banned_entries: by('space_id'),
  rule_sets: by('space_id'),
  space_rules: by('space_id'),
  rule_events: by('space_id'),
  rule_states: by('space_id'),
  rule_runs: by('space_id'),
  rule_log_runs: by('space_id'),
  referrals: by('space_id'),

  // Bans are few, and joined with boards.
  bans: everywhere,
  ban_addresses: everywhere,

  // Names of members on all boards. The changes contain transaction ids, which are valid on one node only.
  profiles: by('address'),
  profile_changes: coordinator,

  // Starboards
  starboards: by('starboard_id'),
  starboard_pages: by('starboard_id'),
  starboard_users: by('starboard_id'),
  starboard_links: by('starboard_id'),
  score_samples: by('starboard_id'),
  starboard_rankings: by('starboard_id'),
  starboard_entries: by('starboard_id'),
  starboard_places: by('starboard_id'),
  starboard_sample_changes: by('starboard_id'),
  starboard_refreshes: by('starboard_id'),
  starboard_histories: by('starboard_id'),

  credentials: by('credential_id'),
  credential_generations: by('credential_id'),
  credential_sources: by('credential_id'),
  chain_checkpoints: by('credential_id'),
  credential_holders: by('credential_id'),
  credential_checks: by('credential_id'),
  quiz_attempts: by('credential_id'),
  quiz_identity_attempts: by('credential_id'),
  rule_holders: by('credential_id'),
  chain_balances: by('credential_id'),
  chain_log_lists: by('credential_id'),
  chain_logs: by('credential_id'),

  // Quests are one small list that is sorted by time. Only their participants and claims are distributed.
  quests: oneWorker,
  quest_credential_groups: oneWorker,
  quest_conditions: oneWorker,
  quest_rewards: oneWorker,
  quest_transitions: oneWorker,
  quest_catalogue: oneWorker,
  quest_counts: oneWorker,
  quest_listings: oneWorker,
  quest_participants: by('quest_id'),
  quest_claims: by('quest_id'),

  // Snapshots: the list is short. The contents are large, and each row belongs to one snapshot.
  snapshots: coordinator,
  snapshot_attempts: coordinator,
  snapshot_entries: by('snapshot_id'),
  snapshot_places: by('snapshot_id'),
  snapshot_nodes: by('snapshot_id'),

  // Uploaded files: the list is short. The chunks are large, and each belongs to one import.
  imports: coordinator,
  import_chunks: by('import_id'),

  // Access. Tokens are read by each request and changed by hand. The quota is on the coordinator, so that a failed worker
  // does not block the requests of a token.
  plans: everywhere,
  server_tokens: everywhere,
  ingest_tokens: everywhere,
  quota_windows: coordinator,
  token_usage: coordinator,
  token_requests: coordinator,
  persisted_documents: coordinator,

  // Subjects and aliases of identities, usernames, sessions and passkeys are looked up by their own keys. Their rows contain the account.
  accounts: by('account_id'),
  account_profiles: by('account_id'),
  identities: by('account_id'),
  operators: by('account_id'),
  operator_invitations: by('code_hash'),
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
  session_apps: by('session_id'),
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
  logout_notices: coordinator,

  // Webhooks: the queue is scanned over all endpoints, to serve them fairly.
  webhook_endpoints: coordinator,
  webhook_secrets: coordinator,
  webhook_subscriptions: coordinator,
  webhook_messages: coordinator,
  webhook_attempts: coordinator,

  // The installation.
  installation: coordinator,
  id_counters: coordinator,
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
 * Whether a cluster can enforce a foreign key. The key must refer to a reference table, or contain the column by which both
 * tables are distributed, or both tables must be `single`, or both `local`.
 */
export function canHold(key: ForeignKey, placed: Readonly<Record<string, Placement>> = placements): boolean {
  const from = placed[key.table]
  const to = placed[key.target]
  if (!from || !to) return false
  if (to.kind === 'reference') return true
  if (to.kind !== 'distributed') return from.kind === to.kind
  if (from.kind !== 'distributed' || from.column !== to.column) return false
  const place = key.columns.indexOf(from.column)
  return place >= 0 && key.targetColumns[place] === to.column
}

export function describePlacement(placement: Placement): string {
  if (placement.kind === 'distributed') return `by ${placement.column}`
  return { single: 'together on one worker', reference: 'on every node', local: 'on the coordinator' }[placement.kind]
}
