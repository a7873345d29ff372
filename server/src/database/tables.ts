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
  avatar_image: ColumnType<Buffer | null, Buffer | null | undefined, Buffer | null>
}

export interface Accounts {
  account_id: string
  name: string
  created_at: ColumnType<Date, Date | string, Date | string>
  suspended_at: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>
  suspension_reason: ColumnType<string | null, string | null | undefined, string | null>
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
  public_client: ColumnType<boolean, boolean | undefined, boolean>
  post_logout_redirect_uris: ColumnType<string[], string[] | undefined, string[]>
  backchannel_logout_uri: ColumnType<string | null, string | null | undefined, string | null>
  proposed_backchannel_logout_uri: ColumnType<string | null, string | null | undefined, string | null>
  subject_type: ColumnType<string, string | undefined, string>
  metadata_url: ColumnType<string | null, string | null | undefined, string | null>
  metadata_at: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>
  proposed_details: ColumnType<unknown | null, string | null | undefined, string | null>
  proposed_logo: ColumnType<Buffer | null, Buffer | null | undefined, Buffer | null>
  proposed_logo_type: ColumnType<string | null, string | null | undefined, string | null>
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
  session_id: ColumnType<string | null, string | null | undefined, string | null>
  resource: ColumnType<string | null, string | null | undefined, string | null>
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
  resource: ColumnType<string | null, string | null | undefined, string | null>
}

export interface AwardKeys {
  space_id: number
  key: string
  sprint_id: ColumnType<number, number | undefined, number>
  address: string
  points: number
  applied_at: ColumnType<Date, Date | string, Date | string>
}

export interface BanAddresses {
  space_id: number
  address: string
  ban_id: string
}

export interface BannedEntries {
  space_id: number
  sprint_id: number
  address: string
  points: number
}

export interface Bans {
  ban_id: string
  account_id: ColumnType<string | null, string | null | undefined, string | null>
  address: ColumnType<string | null, string | null | undefined, string | null>
  space_id: ColumnType<number | null, number | null | undefined, number | null>
  reason: string
  created_at: ColumnType<Date, Date | string, Date | string>
  created_by: ColumnType<string | null, string | null | undefined, string | null>
  ends_at: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>
  ended_at: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>
  ended_by: ColumnType<string | null, string | null | undefined, string | null>
  end_cause: ColumnType<string | null, string | null | undefined, string | null>
}

export interface BoardCounted {
  space_id: number
  sprint_id: number
  version: ColumnType<number | null, number | null | undefined, number | null>
}

export interface BoardCounts {
  space_id: number
  sprint_id: number
  level: number
  prefix: number
  counts: number[]
}

export interface BoardEntries {
  space_id: number
  sprint_id: number
  points: number
  address: string
  born: number
  username: string
  avatar: ColumnType<string, string | undefined, string>
  descent: ColumnType<number, number | undefined, number>
}

export interface BoardMoves {
  space_id: number
  sprint_id: number
  version: number
  part: number
  old_points: number[]
  new_points: number[]
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

export interface ChainLogLists {
  credential_id: ColumnType<never, string, string>
  began_at: ColumnType<Date, Date | string, Date | string>
  last_position: ColumnType<number, number | undefined, number>
  scan: ColumnType<number, number | undefined, number>
  complete_scan: ColumnType<number, number | undefined, number>
}

export interface ChainLogs {
  credential_id: ColumnType<never, string, string>
  log_id: string
  position: number
  ref: ColumnType<string, string | undefined, string>
  address: string
  amount: ColumnType<string | null, string | number | null | undefined, string | number | null>
  block_number: number
  happened_at: ColumnType<Date, Date | string, Date | string>
  scan: number
  returned: ColumnType<boolean, boolean | undefined, boolean>
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

export interface CredentialChecks {
  credential_id: ColumnType<never, string, string>
  holder: string
  held: boolean
  checked_at: ColumnType<Date, Date | string, Date | string>
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
  checks_paused_until: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>
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
  resource: ColumnType<string | null, string | null | undefined, string | null>
}

export interface IdCounters {
  name: string
  last_id: number
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

export interface ImportChunks {
  import_id: string
  chunk: number
  bytes: Buffer
}

export interface Imports {
  import_id: string
  account_id: string
  file_name: string
  bytes: ColumnType<number, number | undefined, number>
  kind: ColumnType<string | null, string | null | undefined, string | null>
  credential_id: ColumnType<never | null, string | null | undefined, string | null>
  replaces: boolean
  state: string
  preview: ColumnType<unknown | null, string | null | undefined, string | null>
  progress: ColumnType<unknown | null, string | null | undefined, string | null>
  lines: ColumnType<number | null, number | null | undefined, number | null>
  added: ColumnType<number | null, number | null | undefined, number | null>
  changed: ColumnType<number | null, number | null | undefined, number | null>
  removed: ColumnType<number | null, number | null | undefined, number | null>
  problems: ColumnType<unknown | null, string | null | undefined, string | null>
  problem_count: ColumnType<number | null, number | null | undefined, number | null>
  message: ColumnType<string | null, string | null | undefined, string | null>
  created_at: ColumnType<Date, Date | string, Date | string>
  checked_at: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>
  applied_by: ColumnType<string | null, string | null | undefined, string | null>
  network: ColumnType<string | null, string | null | undefined, string | null>
  ended_at: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>
  runner: ColumnType<string | null, string | null | undefined, string | null>
  touched_at: ColumnType<Date, Date | string, Date | string>
  attempts: ColumnType<number, number | undefined, number>
  cancelling: ColumnType<boolean, boolean | undefined, boolean>
  file_kept: ColumnType<boolean, boolean | undefined, boolean>
  fault: ColumnType<unknown | null, string | null | undefined, string | null>
  space_ids: ColumnType<number[] | null, number[] | null | undefined, number[] | null>
  undo: ColumnType<unknown | null, string | null | undefined, string | null>
  undone_by: ColumnType<string | null, string | null | undefined, string | null>
  taken_back: ColumnType<number | null, number | null | undefined, number | null>
  banned: ColumnType<number | null, number | null | undefined, number | null>
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
  suspended_at: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>
}

export interface Installation {
  name: string
  value: string
}

export interface LedgerEntries {
  space_id: number
  sprint_id: number
  version: number
  entered_at: ColumnType<Date, Date | string, Date | string>
  position: number
  points_before: ColumnType<number | null, number | null | undefined, number | null>
  points_after: ColumnType<number | null, number | null | undefined, number | null>
  sprint_before: ColumnType<number | null, number | null | undefined, number | null>
  sprint_after: ColumnType<number | null, number | null | undefined, number | null>
  actor: ColumnType<string | null, string | null | undefined, string | null>
  source: string
  address: string
  key: ColumnType<string | null, string | null | undefined, string | null>
  reason: ColumnType<string | null, string | null | undefined, string | null>
  reverses: ColumnType<string | null, string | null | undefined, string | null>
  pending: ColumnType<number | null, number | null | undefined, number | null>
  award: ColumnType<string | null, string | null | undefined, string | null>
  available_at: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>
  expires_at: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>
}

export interface LedgerOpenings {
  space_id: number
  sprint_id: number
  last_address: ColumnType<string, string | undefined, string>
}

export interface LedgerSalts {
  space_id: number
  address: string
  salt: Buffer
}

export interface LedgerSeals {
  space_id: number
  month: ColumnType<Date, Date | string, Date | string>
  entries: number
  digest: Buffer
  sealed_at: ColumnType<Date, Date | string, Date | string>
}

export interface LinkedNames {
  name: string
  kind: string
  account_id: string
}

export interface LogoutNotices {
  notice_id: ColumnType<string, string | undefined, string>
  client_id: string
  account_id: ColumnType<string | null, string | null | undefined, string | null>
  sid: string
  tries: ColumnType<number, number | undefined, number>
  next_attempt_at: ColumnType<Date, Date | string | undefined, Date | string>
  lease: ColumnType<string | null, string | null | undefined, string | null>
}

export interface MemberDays {
  space_id: number
  day: ColumnType<Date, Date | string, Date | string>
  members: number
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

export interface OperatorInvitations {
  code_hash: Buffer
  for_first: boolean
  created_at: ColumnType<Date, Date | string, Date | string>
  expires_at: ColumnType<Date, Date | string, Date | string>
}

export interface Operators {
  account_id: string
  granted_at: ColumnType<Date, Date | string, Date | string>
}

export interface OtherBoardChanges {
  space_id: number
  version: number
  position: number
  sprint_id: number
  address: string
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

export interface PersistedDocuments {
  token_id: string
  hash: Buffer
  document: string
  stored_at: ColumnType<Date, Date | string, Date | string>
  used_at: ColumnType<Date, Date | string, Date | string>
}

export interface Plans {
  plan: string
  per_second: ColumnType<number | null, number | null | undefined, number | null>
  per_day: ColumnType<number | null, number | null | undefined, number | null>
  open: ColumnType<boolean, boolean | undefined, boolean>
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

export interface QuestClaims {
  quest_id: string
  address: string
  account_id: ColumnType<string | null, string | null | undefined, string | null>
  key: ColumnType<string | null, string | null | undefined, string | null>
  points: number
  sprint_id: number
  claimed_at: ColumnType<Date, Date | string, Date | string>
  claim_id: ColumnType<string | null, string | null | undefined, string | null>
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
  starts_at: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>
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

export interface QuizAttempts {
  credential_id: ColumnType<never, string, string>
  account_id: string
  period_started: ColumnType<Date, Date | string, Date | string>
  used: number
  passed_at: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>
}

export interface QuizIdentityAttempts {
  credential_id: ColumnType<never, string, string>
  identity: string
  period_started: ColumnType<Date, Date | string, Date | string>
  period_ends: ColumnType<Date, Date | string, Date | string>
  used: number
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

export interface Referrals {
  space_id: number
  address: string
  referrer: string
  recorded_at: ColumnType<Date, Date | string, Date | string>
  first_claim: ColumnType<string | null, string | null | undefined, string | null>
}

export interface RefreshTokens {
  family: Buffer
  token_hash: Buffer
  created_at: ColumnType<Date, Date | string, Date | string>
  expires_at: ColumnType<Date, Date | string, Date | string>
  rotated_at: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>
}

export interface RuleEvents {
  space_id: number
  ref: string
  kind: string
  address: string
  points: number
  quest_id: ColumnType<string | null, string | null | undefined, string | null>
  happened_at: ColumnType<Date, Date | string, Date | string>
}

export interface RuleHolders {
  credential_id: ColumnType<never, string, string>
  space_id: number
  rule_id: string
  address: string
}

export interface RuleLogRuns {
  space_id: number
  rule_id: string
  credential_id: ColumnType<never, string, string>
  list_began_at: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>
  counts_from: ColumnType<Date, Date | string, Date | string>
  position: number
}

export interface RuleRuns {
  space_id: number
  rule_id: string
  started_for: string
  last_address: string
  given: ColumnType<number, number | undefined, number>
  done: boolean
  silent: ColumnType<boolean, boolean | undefined, boolean>
}

export interface RuleSets {
  space_id: number
  version: number
  rules: ColumnType<unknown, string, string>
  created_at: ColumnType<Date, Date | string, Date | string>
  created_by: ColumnType<string | null, string | null | undefined, string | null>
}

export interface RuleStates {
  space_id: number
  rule_id: string
  address: string
  caps: ColumnType<number[], number[] | undefined, number[]>
  runs: ColumnType<number[], number[] | undefined, number[]>
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
  suspended_at: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>
  origins: ColumnType<string[] | null, string[] | null | undefined, string[] | null>
  space_ids: ColumnType<number[] | null, number[] | null | undefined, number[] | null>
}

export interface SessionApps {
  session_id: string
  client_id: string
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

export interface SnapshotAttempts {
  snapshot_id: string
  attempts: number
}

export interface SnapshotEntries {
  snapshot_id: string
  chunk: number
  first_rank: number
  entries: Buffer
}

export interface SnapshotNodes {
  snapshot_id: string
  chunk: number
  nodes: Buffer
}

export interface SnapshotPlaces {
  snapshot_id: string
  chunk: number
  places: Buffer
}

export interface Snapshots {
  snapshot_id: string
  kind: string
  space_id: ColumnType<number | null, number | null | undefined, number | null>
  sprint_id: ColumnType<number | null, number | null | undefined, number | null>
  credential_id: ColumnType<never | null, string | null | undefined, string | null>
  quest_id: ColumnType<string | null, string | null | undefined, string | null>
  name: string
  version: ColumnType<number | null, number | null | undefined, number | null>
  as_of: ColumnType<Date, Date | string, Date | string>
  is_public: boolean
  created_at: ColumnType<Date, Date | string, Date | string>
  state: string
  attempts: ColumnType<number, number | undefined, number>
  failure: ColumnType<string | null, string | null | undefined, string | null>
  sealed_at: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>
  members: ColumnType<number | null, number | null | undefined, number | null>
  points: ColumnType<number | null, number | null | undefined, number | null>
  leaves: ColumnType<number | null, number | null | undefined, number | null>
  bytes: ColumnType<number | null, number | null | undefined, number | null>
  digest: ColumnType<Buffer | null, Buffer | null | undefined, Buffer | null>
  root: ColumnType<Buffer | null, Buffer | null | undefined, Buffer | null>
  banned: ColumnType<number, number | undefined, number>
  note: ColumnType<string | null, string | null | undefined, string | null>
  failure_code: ColumnType<string | null, string | null | undefined, string | null>
}

export interface SpaceInvitations {
  code_hash: Buffer
  invitation_id: string
  space_id: number
  role: string
  invited_by: string
  created_at: ColumnType<Date, Date | string, Date | string>
  expires_at: ColumnType<Date, Date | string, Date | string>
}

export interface SpaceMembers {
  space_id: number
  account_id: string
  role: string
  added_at: ColumnType<Date, Date | string, Date | string>
}

export interface SpacePages {
  space_id: number
  slug: string
  published_at: ColumnType<Date, Date | string, Date | string>
  embed_origins: ColumnType<string[] | null, string[] | null | undefined, string[] | null>
}

export interface SpaceRules {
  space_id: number
  version: number
  on_awards: boolean
  on_claims: boolean
  on_ticks: boolean
  first_at: ColumnType<Date, Date | string, Date | string>
  replays: ColumnType<number, number | undefined, number>
}

export interface SpaceVersionTimes {
  space_id: number
  version: number
  recorded_at: ColumnType<Date, Date | string, Date | string>
  last_current_at: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>
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
  logo: ColumnType<Buffer | null, Buffer | null | undefined, Buffer | null>
  logo_version: ColumnType<string | null, string | null | undefined, string | null>
}

export interface Sprints {
  space_id: number
  sprint_id: number
  name: ColumnType<string, string | undefined, string>
  start_time: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>
  end_time: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>
}

export interface StarboardEntries {
  starboard_id: string
  generation: number
  handle: string
  from_version: number
  until_version: ColumnType<number | null, number | null | undefined, number | null>
  score: ColumnType<string, string | number, string | number>
  descent: ColumnType<string, string | number | undefined, string | number>
  previous_rank: ColumnType<number | null, number | null | undefined, number | null>
  previous_score: ColumnType<string | null, string | number | null | undefined, string | number | null>
  score_24h: ColumnType<string | null, string | number | null | undefined, string | number | null>
  score_7d: ColumnType<string | null, string | number | null | undefined, string | number | null>
  score_30d: ColumnType<string | null, string | number | null | undefined, string | number | null>
  individual: number
  aura: number
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

export interface StarboardPages {
  starboard_id: string
  published_at: ColumnType<Date, Date | string, Date | string>
}

export interface StarboardPlaces {
  starboard_id: string
  version: number
  descent: ColumnType<string, string | number, string | number>
  handle: string
  users: number
}

export interface StarboardRankings {
  starboard_id: string
  version: number
  ranked_at: ColumnType<Date, Date | string, Date | string>
  newest_sample: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>
  user_count: number
  generation: number
  previous_version: ColumnType<number | null, number | null | undefined, number | null>
  rows_written: ColumnType<number, number | undefined, number>
  changed: ColumnType<number, number | undefined, number>
  moved: ColumnType<number, number | undefined, number>
}

export interface StarboardRefreshes {
  starboard_id: string
  checked_at: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>
}

export interface StarboardSampleChanges {
  starboard_id: string
  change_id: ColumnType<string, string | undefined, string>
  handles: string[]
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

export interface TimedAwards {
  space_id: number
  version: number
  position: number
  entered_at: ColumnType<Date, Date | string, Date | string>
  sprint_id: number
  address: string
  available: boolean
  due_at: ColumnType<Date, Date | string, Date | string>
}

export interface TokenRequests {
  token_id: string
  at: ColumnType<Date, Date | string, Date | string>
  request_id: string
  operation: string
  status: number
  milliseconds: number
  code: ColumnType<string | null, string | null | undefined, string | null>
}

export interface TokenUsage {
  token_id: string
  day: ColumnType<Date, Date | string, Date | string>
  operation: string
  status: number
  requests: number
  last_used_at: ColumnType<Date, Date | string, Date | string>
  latencies: ColumnType<string[] | null, string[] | null | undefined, string[] | null>
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
  award_keys: AwardKeys
  ban_addresses: BanAddresses
  banned_entries: BannedEntries
  bans: Bans
  board_counted: BoardCounted
  board_counts: BoardCounts
  board_entries: BoardEntries
  board_moves: BoardMoves
  board_past: BoardPast
  boards: Boards
  chain_balances: ChainBalances
  chain_checkpoints: ChainCheckpoints
  chain_log_lists: ChainLogLists
  chain_logs: ChainLogs
  challenges: Challenges
  consents: Consents
  credential_checks: CredentialChecks
  credential_generations: CredentialGenerations
  credential_holders: CredentialHolders
  credential_sources: CredentialSources
  credentials: Credentials
  grants: Grants
  id_counters: IdCounters
  identities: Identities
  identity_aliases: IdentityAliases
  identity_subjects: IdentitySubjects
  import_chunks: ImportChunks
  imports: Imports
  ingest_tokens: IngestTokens
  installation: Installation
  ledger_entries: LedgerEntries
  ledger_openings: LedgerOpenings
  ledger_salts: LedgerSalts
  ledger_seals: LedgerSeals
  linked_names: LinkedNames
  logout_notices: LogoutNotices
  member_days: MemberDays
  merge_offers: MergeOffers
  merged_accounts: MergedAccounts
  operator_invitations: OperatorInvitations
  operators: Operators
  other_board_changes: OtherBoardChanges
  passkeys: Passkeys
  persisted_documents: PersistedDocuments
  plans: Plans
  profile_changes: ProfileChanges
  profiles: Profiles
  quest_catalogue: QuestCatalogue
  quest_claims: QuestClaims
  quest_conditions: QuestConditions
  quest_counts: QuestCounts
  quest_credential_groups: QuestCredentialGroups
  quest_listings: QuestListings
  quest_participants: QuestParticipants
  quest_rewards: QuestRewards
  quest_transitions: QuestTransitions
  quests: Quests
  quiz_attempts: QuizAttempts
  quiz_identity_attempts: QuizIdentityAttempts
  quota_windows: QuotaWindows
  rank_day_boards: RankDayBoards
  rank_days: RankDays
  referrals: Referrals
  refresh_tokens: RefreshTokens
  rule_events: RuleEvents
  rule_holders: RuleHolders
  rule_log_runs: RuleLogRuns
  rule_runs: RuleRuns
  rule_sets: RuleSets
  rule_states: RuleStates
  scheduled_tasks: ScheduledTasks
  score_samples: ScoreSamples
  security_events: SecurityEvents
  server_tokens: ServerTokens
  session_apps: SessionApps
  sessions: Sessions
  signing_keys: SigningKeys
  snapshot_attempts: SnapshotAttempts
  snapshot_entries: SnapshotEntries
  snapshot_nodes: SnapshotNodes
  snapshot_places: SnapshotPlaces
  snapshots: Snapshots
  space_invitations: SpaceInvitations
  space_members: SpaceMembers
  space_pages: SpacePages
  space_rules: SpaceRules
  space_version_times: SpaceVersionTimes
  space_versions: SpaceVersions
  spaces: Spaces
  sprints: Sprints
  starboard_entries: StarboardEntries
  starboard_histories: StarboardHistories
  starboard_links: StarboardLinks
  starboard_pages: StarboardPages
  starboard_places: StarboardPlaces
  starboard_rankings: StarboardRankings
  starboard_refreshes: StarboardRefreshes
  starboard_sample_changes: StarboardSampleChanges
  starboard_users: StarboardUsers
  starboards: Starboards
  timed_awards: TimedAwards
  token_requests: TokenRequests
  token_usage: TokenUsage
  usernames: Usernames
  webhook_attempts: WebhookAttempts
  webhook_endpoints: WebhookEndpoints
  webhook_messages: WebhookMessages
  webhook_secrets: WebhookSecrets
  webhook_subscriptions: WebhookSubscriptions
}
