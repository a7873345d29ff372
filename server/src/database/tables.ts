// Generated from the migrated schema by `npm run generate`; do not edit.
import type { ColumnType } from 'kysely'

export interface AccessTokens {
  family: Buffer
  token_hash: Buffer
  scopes: string[]
  created_at: ColumnType<Date, Date | string, Date | string>
  expires_at: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>
}

export interface AccountProfiles {
  account_id: string
  avatar: string
  is_public: boolean
}

export interface Accounts {
  account_id: string
  name: string
  created_at: ColumnType<Date, Date | string, Date | string>
}

export interface AppSecrets {
  client_id: string
  secret_id: string
  secret_hash: Buffer
  created_at: ColumnType<Date, Date | string, Date | string>
  expires_at: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>
}

export interface Apps {
  client_id: string
  owner_account_id: string
  name: string
  homepage: ColumnType<string, string | undefined, string>
  purpose: string
  status: string
  status_reason: ColumnType<string, string | undefined, string>
  redirect_uris: string[]
  scopes: string[]
  allowed_origins: ColumnType<string[], string[] | undefined, string[]>
  expiring_tokens: ColumnType<boolean, boolean | undefined, boolean>
  s256_only: ColumnType<boolean, boolean | undefined, boolean>
  logo: ColumnType<Buffer | null, Buffer | null | undefined, Buffer | null>
  logo_type: ColumnType<string | null, string | null | undefined, string | null>
  created_at: ColumnType<Date, Date | string, Date | string>
  decided_at: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>
  revision: ColumnType<number, number | undefined, number>
  proposed_redirect_uris: ColumnType<string[] | null, string[] | null | undefined, string[] | null>
}

export interface AttemptWindows {
  name: string
  window_start: number
  attempts: number
}

export interface AuthorizationCodes {
  family: Buffer
  code_hash: Buffer
  client_id: string
  account_id: string
  redirect_uri: string
  scopes: string[]
  shared: ColumnType<unknown, string, string>
  code_challenge: ColumnType<string | null, string | null | undefined, string | null>
  code_challenge_method: ColumnType<string | null, string | null | undefined, string | null>
  nonce: ColumnType<string | null, string | null | undefined, string | null>
  authenticated_at: ColumnType<Date, Date | string, Date | string>
  expires_at: ColumnType<Date, Date | string, Date | string>
  spent_at: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>
  scope_names: ColumnType<string[] | null, string[] | null | undefined, string[] | null>
}

export interface Authorizations {
  authorization_id: string
  browser_hash: Buffer
  client_id: string
  redirect_uri: string
  scopes: string[]
  state: string
  code_challenge: ColumnType<string | null, string | null | undefined, string | null>
  code_challenge_method: ColumnType<string | null, string | null | undefined, string | null>
  nonce: ColumnType<string | null, string | null | undefined, string | null>
  prompt: string[]
  max_age: ColumnType<number | null, number | null | undefined, number | null>
  created_at: ColumnType<Date, Date | string, Date | string>
  expires_at: ColumnType<Date, Date | string, Date | string>
  decided_at: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>
  hinted_account_id: ColumnType<string | null, string | null | undefined, string | null>
  scope_names: ColumnType<string[] | null, string[] | null | undefined, string[] | null>
}

export interface BoardEntries {
  space_id: number
  sprint_id: number
  points: number
  address: string
  born: number
  username: string
  avatar: ColumnType<string, string | undefined, string>
  descent: number
}

export interface BoardPast {
  space_id: number
  sprint_id: number
  descent: number
  address: string
  born: number
  died: number
  username: string
  avatar: string
}

export interface Boards {
  space_id: number
  sprint_id: number
  member_count: ColumnType<number, number | undefined, number>
}

export interface ChainBalances {
  credential_id: ColumnType<never, string, string>
  address: string
  balance: ColumnType<string, string | number, string | number>
}

export interface ChainCheckpoints {
  credential_id: ColumnType<never, string, string>
  scope: string
  block_number: number
  block_hash: string
}

export interface Challenges {
  challenge_id: string
  browser_hash: Buffer
  session_hash: ColumnType<Buffer | null, Buffer | null | undefined, Buffer | null>
  account_id: ColumnType<string | null, string | null | undefined, string | null>
  kind: string
  purpose: string
  stored: ColumnType<unknown, string, string>
  expires_at: ColumnType<Date, Date | string, Date | string>
}

export interface Consents {
  account_id: string
  client_id: string
  scopes: string[]
  shared: ColumnType<unknown, string, string>
  granted_at: ColumnType<Date, Date | string, Date | string>
}

export interface CredentialGenerations {
  credential_id: ColumnType<never, string, string>
  generation: number
  state: string
  sync_status_before: string
  touched_at: ColumnType<Date, Date | string, Date | string>
  source: ColumnType<Buffer | null, Buffer | null | undefined, Buffer | null>
  chunks: ColumnType<number, number | undefined, number>
  holders: ColumnType<number, number | undefined, number>
  takeovers: ColumnType<number, number | undefined, number>
}

export interface CredentialHolders {
  credential_id: ColumnType<never, string, string>
  generation: number
  address: string
}

export interface CredentialSources {
  credential_id: ColumnType<never, string, string>
  source: ColumnType<unknown, string, string>
  every_seconds: number
  next_run_at: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>
  state: ColumnType<string, string | undefined, string>
  reason: ColumnType<string | null, string | null | undefined, string | null>
  failures: ColumnType<number, number | undefined, number>
  last_run_at: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>
  last_success_at: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>
  lease: ColumnType<string | null, string | null | undefined, string | null>
  lease_until: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>
}

export interface Credentials {
  credential_id: ColumnType<never, string, string>
  name: string
  description: ColumnType<string, string | undefined, string>
  cred_type: string
  cred_source: string
  chain: ColumnType<string | null, string | null | undefined, string | null>
  reference_link: ColumnType<string, string | undefined, string>
  curator_space_id: ColumnType<number | null, number | null | undefined, number | null>
  sync_status: ColumnType<string, string | undefined, string>
  last_update: ColumnType<Date, Date | string, Date | string>
  last_sync: ColumnType<Date, Date | string, Date | string>
  generation: ColumnType<number, number | undefined, number>
  item_count: ColumnType<number, number | undefined, number>
  owner_account_id: ColumnType<string | null, string | null | undefined, string | null>
}

export interface Grants {
  family: Buffer
  client_id: string
  account_id: string
  scopes: string[]
  shared: ColumnType<unknown, string, string>
  created_at: ColumnType<Date, Date | string, Date | string>
  last_used_at: ColumnType<Date, Date | string, Date | string>
  revoked_at: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>
  scope_names: ColumnType<string[] | null, string[] | null | undefined, string[] | null>
}

export interface Identities {
  account_id: string
  kind: string
  subject: string
  username: ColumnType<string | null, string | null | undefined, string | null>
  linked_at: ColumnType<Date, Date | string, Date | string>
  bound_chain_id: ColumnType<number | null, number | null | undefined, number | null>
  last_signed_in_at: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>
  use_for_eligibility: ColumnType<boolean, boolean | undefined, boolean>
}

export interface IdentityAliases {
  alias: string
  kind: string
  account_id: string
  subject: string
}

export interface IdentitySubjects {
  subject: string
  kind: string
  account_id: string
}

export interface IngestTokens {
  token_id: string
  account_id: string
  name: string
  token_hash: Buffer
  space_ids: ColumnType<number[] | null, number[] | null | undefined, number[] | null>
  starboard_ids: ColumnType<string[] | null, string[] | null | undefined, string[] | null>
  credential_ids: ColumnType<string[] | null, string[] | null | undefined, string[] | null>
  created_at: ColumnType<Date, Date | string, Date | string>
  expires_at: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>
  revoked_at: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>
  last_used_at: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>
  owned_only: ColumnType<boolean, boolean | undefined, boolean>
  needs_operator: ColumnType<boolean, boolean | undefined, boolean>
  last_four: ColumnType<string | null, string | null | undefined, string | null>
}

export interface Installation {
  name: string
  value: string
}

export interface LinkedNames {
  name: string
  kind: string
  account_id: string
}

export interface MergeOffers {
  offer_id: string
  session_hash: Buffer
  into_account_id: string
  from_account_id: string
  kind: string
  subject: string
  expires_at: ColumnType<Date, Date | string, Date | string>
}

export interface MergedAccounts {
  account_id: string
  into_account_id: string
  merged_at: ColumnType<Date, Date | string, Date | string>
}

export interface Operators {
  account_id: string
  granted_at: ColumnType<Date, Date | string, Date | string>
}

export interface Passkeys {
  passkey_id: string
  account_id: string
  public_key: Buffer
  sign_count: number
  transports: string[]
  created_at: ColumnType<Date, Date | string, Date | string>
  last_used_at: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>
}

export interface Plans {
  plan: string
  per_second: ColumnType<number | null, number | null | undefined, number | null>
  per_day: ColumnType<number | null, number | null | undefined, number | null>
  open: ColumnType<boolean, boolean | undefined, boolean>
}

export interface PointEvents {
  space_id: number
  key: string
  sprint_id: ColumnType<number, number | undefined, number>
  address: string
  points: number
  applied_at: ColumnType<Date, Date | string, Date | string>
}

export interface ProfileChanges {
  address: string
  barrier: ColumnType<number | null, number | null | undefined, number | null>
}

export interface Profiles {
  address: string
  username: ColumnType<string | null, string | null | undefined, string | null>
  avatar: ColumnType<string, string | undefined, string>
  own_username: ColumnType<string | null, string | null | undefined, string | null>
  own_avatar: ColumnType<string | null, string | null | undefined, string | null>
}

export interface QuestCatalogue {
  only_row: ColumnType<boolean, boolean | undefined, boolean>
  version: number
}

export interface QuestConditions {
  quest_id: string
  group_id: string
  position: number
  expression: string
  credential_id: ColumnType<never, string, string>
}

export interface QuestCounts {
  space_id: number
  type: string
  status: string
  listed: number
}

export interface QuestCredentialGroups {
  quest_id: string
  group_id: string
  position: number
  name: ColumnType<string, string | undefined, string>
  condition_relation: string
}

export interface QuestListings {
  quest_id: string
  born: number
  died: ColumnType<number, number | undefined, number>
  died_at: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>
  space_id: number
  type: string
  status: string
  created_at: ColumnType<Date, Date | string, Date | string>
}

export interface QuestParticipants {
  quest_id: string
  address: string
  joined_at: ColumnType<Date, Date | string, Date | string>
}

export interface QuestRewards {
  quest_id: string
  group_id: string
  position: number
  expression: ColumnType<string, string | undefined, string>
  reward_type: string
  reward_count: number
}

export interface QuestTransitions {
  quest_id: string
  at: ColumnType<Date, Date | string, Date | string>
  from_status: string
  to_status: string
  reason: string
  recorded_at: ColumnType<Date, Date | string, Date | string>
}

export interface Quests {
  quest_id: string
  space_id: number
  name: string
  description: ColumnType<string, string | undefined, string>
  type: string
  status: string
  auto_status: boolean
  start_time: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>
  end_time: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>
  cap: ColumnType<number, number | undefined, number>
  participants_count: ColumnType<number, number | undefined, number>
  loyalty_points: ColumnType<number, number | undefined, number>
  gas_type: ColumnType<string, string | undefined, string>
  chain: ColumnType<string | null, string | null | undefined, string | null>
  is_private: ColumnType<boolean, boolean | undefined, boolean>
  created_at: ColumnType<Date, Date | string, Date | string>
  next_transition_at: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>
}

export interface QuotaWindows {
  token_id: string
  period: string
  window_start: number
  leased: number
  granted: number
}

export interface RankDayBoards {
  space_id: number
  sprint_id: number
  day: ColumnType<Date, Date | string, Date | string>
}

export interface RankDays {
  space_id: number
  sprint_id: number
  address: string
  day: ColumnType<Date, Date | string, Date | string>
  rank: number
  points: number
}

export interface RefreshTokens {
  family: Buffer
  token_hash: Buffer
  created_at: ColumnType<Date, Date | string, Date | string>
  expires_at: ColumnType<Date, Date | string, Date | string>
  rotated_at: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>
}

export interface ScheduledTasks {
  task: string
  next_run_at: ColumnType<Date, Date | string, Date | string>
}

export interface ScoreSamples {
  starboard_id: string
  handle: string
  sampled_at: ColumnType<Date, Date | string, Date | string>
  score: ColumnType<string, string | number, string | number>
  individual: ColumnType<number, number | undefined, number>
  aura: ColumnType<number, number | undefined, number>
}

export interface SecurityEvents {
  account_id: string
  happened_at: ColumnType<Date, Date | string, Date | string>
  event_id: string
  event: string
  client_id: ColumnType<string | null, string | null | undefined, string | null>
  address: ColumnType<string, string | undefined, string>
  details: ColumnType<unknown, string | undefined, string>
}

export interface ServerTokens {
  token_id: string
  account_id: string
  name: string
  token_hash: Buffer
  areas: string[]
  plan: string
  created_at: ColumnType<Date, Date | string, Date | string>
  expires_at: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>
  revoked_at: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>
  plan_needs_operator: ColumnType<boolean, boolean | undefined, boolean>
  last_four: ColumnType<string | null, string | null | undefined, string | null>
  plan_assigned_by: ColumnType<string | null, string | null | undefined, string | null>
}

export interface Sessions {
  session_hash: Buffer
  session_id: string
  account_id: string
  authenticated_at: ColumnType<Date, Date | string, Date | string>
  last_seen_at: ColumnType<Date, Date | string, Date | string>
  expires_at: ColumnType<Date, Date | string, Date | string>
  user_agent: string
  address: string
}

export interface SigningKeys {
  key_id: string
  public_key: ColumnType<unknown, string, string>
  private_key: Buffer
  created_at: ColumnType<Date, Date | string, Date | string>
}

export interface SpaceVersionTimes {
  space_id: number
  version: number
  recorded_at: ColumnType<Date, Date | string, Date | string>
}

export interface SpaceVersions {
  space_id: number
  version: ColumnType<number, number | undefined, number>
}

export interface Spaces {
  space_id: number
  name: string
  description: ColumnType<string | null, string | null | undefined, string | null>
  owner_account_id: ColumnType<string | null, string | null | undefined, string | null>
  created_at: ColumnType<Date, Date | string, Date | string>
}

export interface Sprints {
  space_id: number
  sprint_id: number
  name: ColumnType<string, string | undefined, string>
  start_time: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>
  end_time: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>
}

export interface StarboardChanges {
  starboard_id: string
  samples: number
}

export interface StarboardHistories {
  starboard_id: string
  thinned_until: ColumnType<Date, Date | string, Date | string>
}

export interface StarboardLinks {
  starboard_id: string
  evm_address: string
  handle: string
  linked_order: number
}

export interface StarboardRankings {
  starboard_id: string
  version: number
  ranked_at: ColumnType<Date, Date | string, Date | string>
  newest_sample: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>
  user_count: number
}

export interface StarboardRanks {
  starboard_id: string
  version: number
  position: number
  handle: string
  rank: number
  score: ColumnType<string, string | number, string | number>
  previous_rank: ColumnType<number | null, number | null | undefined, number | null>
  previous_score: ColumnType<string | null, string | number | null | undefined, string | number | null>
  score_24h: ColumnType<string | null, string | number | null | undefined, string | number | null>
  score_7d: ColumnType<string | null, string | number | null | undefined, string | number | null>
  score_30d: ColumnType<string | null, string | number | null | undefined, string | number | null>
  individual: number
  aura: number
}

export interface StarboardRefreshes {
  starboard_id: string
  samples: ColumnType<number, number | undefined, number>
  checked_at: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>
}

export interface StarboardUsers {
  starboard_id: string
  handle: string
  username: string
  user_id: ColumnType<string, string | undefined, string>
  name: ColumnType<string, string | undefined, string>
  profile_image_url: ColumnType<string, string | undefined, string>
  followers_count: ColumnType<number, number | undefined, number>
  verified_type: ColumnType<string, string | undefined, string>
  is_public: ColumnType<boolean, boolean | undefined, boolean>
}

export interface Starboards {
  starboard_id: string
  name: string
  project_name: ColumnType<string, string | undefined, string>
  description: ColumnType<string, string | undefined, string>
  tags: ColumnType<string[], string[] | undefined, string[]>
  type: string
  reward_name: ColumnType<string | null, string | null | undefined, string | null>
  reward_description: ColumnType<string | null, string | null | undefined, string | null>
  reward_start_time: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>
  reward_end_time: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>
  owner_account_id: ColumnType<string | null, string | null | undefined, string | null>
  created_at: ColumnType<Date, Date | string, Date | string>
}

export interface TokenUsage {
  token_id: string
  day: ColumnType<Date, Date | string, Date | string>
  operation: string
  status: number
  requests: number
  last_used_at: ColumnType<Date, Date | string, Date | string>
}

export interface Usernames {
  username: string
  account_id: string
}

export interface WebhookAttempts {
  endpoint_id: string
  message_id: string
  attempt: number
  started_at: ColumnType<Date, Date | string, Date | string>
  duration_ms: number
  status: ColumnType<number | null, number | null | undefined, number | null>
  error: ColumnType<string | null, string | null | undefined, string | null>
  response: string
}

export interface WebhookEndpoints {
  endpoint_id: string
  account_id: string
  url: string
  description: string
  event_types: string[]
  subjects: string[]
  min_points: number
  top: number
  boards: string
  created_at: ColumnType<Date, Date | string, Date | string>
  disabled_at: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>
  disabled_reason: ColumnType<string | null, string | null | undefined, string | null>
  failing_since: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>
  paused_until: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>
  by_operator: ColumnType<boolean, boolean | undefined, boolean>
  needs_operator: ColumnType<boolean, boolean | undefined, boolean>
  network: ColumnType<string, string | undefined, string>
}

export interface WebhookMessages {
  endpoint_id: string
  message_id: ColumnType<string, string | undefined, string>
  event_type: string
  payload: string
  created_at: ColumnType<Date, Date | string, Date | string>
  state: ColumnType<string, string | undefined, string>
  tries: ColumnType<number, number | undefined, number>
  next_attempt_at: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>
  lease: ColumnType<string | null, string | null | undefined, string | null>
}

export interface WebhookSecrets {
  endpoint_id: string
  secret_id: string
  sealed: Buffer
  created_at: ColumnType<Date, Date | string, Date | string>
  expires_at: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>
}

export interface WebhookSubscriptions {
  subject: string
  endpoint_id: string
  account_id: string
  event_types: string[]
  min_points: number
  top: number
  boards: string
}

export interface DB {
  access_tokens: AccessTokens
  account_profiles: AccountProfiles
  accounts: Accounts
  app_secrets: AppSecrets
  apps: Apps
  attempt_windows: AttemptWindows
  authorization_codes: AuthorizationCodes
  authorizations: Authorizations
  board_entries: BoardEntries
  board_past: BoardPast
  boards: Boards
  chain_balances: ChainBalances
  chain_checkpoints: ChainCheckpoints
  challenges: Challenges
  consents: Consents
  credential_generations: CredentialGenerations
  credential_holders: CredentialHolders
  credential_sources: CredentialSources
  credentials: Credentials
  grants: Grants
  identities: Identities
  identity_aliases: IdentityAliases
  identity_subjects: IdentitySubjects
  ingest_tokens: IngestTokens
  installation: Installation
  linked_names: LinkedNames
  merge_offers: MergeOffers
  merged_accounts: MergedAccounts
  operators: Operators
  passkeys: Passkeys
  plans: Plans
  point_events: PointEvents
  profile_changes: ProfileChanges
  profiles: Profiles
  quest_catalogue: QuestCatalogue
  quest_conditions: QuestConditions
  quest_counts: QuestCounts
  quest_credential_groups: QuestCredentialGroups
  quest_listings: QuestListings
  quest_participants: QuestParticipants
  quest_rewards: QuestRewards
  quest_transitions: QuestTransitions
  quests: Quests
  quota_windows: QuotaWindows
  rank_day_boards: RankDayBoards
  rank_days: RankDays
  refresh_tokens: RefreshTokens
  scheduled_tasks: ScheduledTasks
  score_samples: ScoreSamples
  security_events: SecurityEvents
  server_tokens: ServerTokens
  sessions: Sessions
  signing_keys: SigningKeys
  space_version_times: SpaceVersionTimes
  space_versions: SpaceVersions
  spaces: Spaces
  sprints: Sprints
  starboard_changes: StarboardChanges
  starboard_histories: StarboardHistories
  starboard_links: StarboardLinks
  starboard_rankings: StarboardRankings
  starboard_ranks: StarboardRanks
  starboard_refreshes: StarboardRefreshes
  starboard_users: StarboardUsers
  starboards: Starboards
  token_usage: TokenUsage
  usernames: Usernames
  webhook_attempts: WebhookAttempts
  webhook_endpoints: WebhookEndpoints
  webhook_messages: WebhookMessages
  webhook_secrets: WebhookSecrets
  webhook_subscriptions: WebhookSubscriptions
}
