// Generated from schema.graphql by `npm run generate -w @questboard/client`. Do not edit.

/** A value that this version of the client does not list: servers may know more. */
export type Unlisted = string & Record<never, never>

/** The root of every query. A field that fails is null and adds an entry to `errors`. */
export interface Query {
  /** A starboard by ID. An unknown ID fails with `Starboard not found` (NOT_FOUND). */
  starboard: Starboard | null
  /** A space by ID. An unknown ID fails with `Space not found` (NOT_FOUND). */
  space: Space | null
  /**
   * The loyalty points of a space, like `space(id) { loyaltyPointsRanks }`. An unknown space fails with `Space not found`
   * (NOT_FOUND). These fail with INVALID_ARGUMENT: an unknown sprint (`Invalid sprint ID`), and an invalid or expired cursor
   * (`Invalid cursor`).
   */
  spaceLoyaltyPointsRanks: LoyaltyPointsRanks | null
  /** A credential by ID. An unknown ID fails with `Credential not found` (NOT_FOUND). */
  credential: Credential | null
  /**
   * A quest by ID. An unknown, draft or deleted quest fails with `Quest not found` (NOT_FOUND). A private quest fails with
   * `Quest is private` (PERMISSION_DENIED), unless the account of the token owns the space of the quest or belongs to its
   * team.
   */
  quest: Quest | null
  /**
   * Public quests, newest first by default. All pages show the list as of the first page. These fail with INVALID_ARGUMENT:
   * an unknown status (`Invalid status filter`), and an invalid cursor or a cursor of another list (`Invalid cursor`).
   */
  quests: QuestList | null
}

/** The position of a page in its list, with the cursors of its first and its last item. */
export interface PageInfo {
  /** True if another page follows. */
  hasNextPage: boolean
  /** True if another page precedes this one. */
  hasPreviousPage: boolean
  /** Cursor of the first item of this page; null if the page is empty. */
  startCursor: string | null
  /**
   * Cursor of the last item of this page; null if the page is empty. Pass it as `cursorAfter` or `after` to read the next
   * page. A cursor is opaque, has at most 200 characters, and is valid for its list only. A cursor expires 30 to 35 minutes
   * after the first page. With an expired cursor of quests, the query continues in the current list. With an expired cursor
   * of a board or starboard, the query fails. Cursors of `addressLoyaltyPointsHistory` do not expire. For cursors of changes,
   * see `Space.changes`.
   */
  endCursor: string | null
}

/** Selects a page of the leaderboard of a starboard. */
export interface PaginationInput {
  /** The page after a cursor. */
  forward: ForwardPaginationInput
}

/** A number of items after a cursor. */
export interface ForwardPaginationInput {
  /** Number of items of a page, 1 to 1,000. A larger number is treated as 1,000. */
  first: number
  /** `pageInfo.endCursor` of the previous page; null, an empty string or "-1" for the first page. */
  after?: string | null
}

/** A ranking of users by social influence or by activity on a chain. */
export interface Starboard {
  /** Description of the starboard. */
  basicInfo: StarboardBasicInfo
  /**
   * The ranking, highest score first. All pages show the ranking as of the first page. An invalid page or cursor fails with
   * `Invalid pagination` (INVALID_ARGUMENT).
   */
  leaderboard: StarboardLeaderboard | null
  /** The X user of an EVM address. If the address has no user on this starboard, the field fails with `Twitter user not found` (NOT_FOUND). */
  twitterHandleByEvmAddress: TwitterHandleByEvmAddress | null
  /** The scores of the user of an EVM address. If the address has no user on this starboard, the field fails with `Twitter user not found` (NOT_FOUND). */
  userDetail: StarboardUserDetail | null
}

/** Description of a starboard. */
export interface StarboardBasicInfo {
  /** ID of the starboard. */
  id: string
  /** Display name. */
  name: string
  /** Name of the project; empty if not set. */
  projectName: string
  /** Description; empty if not set. */
  description: string
  /** Tags in their given order. */
  tags: Array<string>
  /** Type of the ranking. */
  type: StarboardType
  /** Reward for the highest ranks; null if not set. */
  reward: StarboardReward | null
}

/**
 * Type of the ranking of a starboard.
 *
 * - `TWITTER`: Influence on X.
 * - `ONCHAIN`: Activity on a chain.
 */
export type StarboardType = 'TWITTER' | 'ONCHAIN' | Unlisted

/** Reward for the highest ranks of a starboard. */
export interface StarboardReward {
  /** Name of the reward. */
  name: string
  /** Description; empty if not set. */
  description: string
  /** Start of the reward period; null if not set. */
  startTime: number | null
  /** End of the reward period; null if not set. */
  endTime: number | null
}

/** A page of the ranking of a starboard. */
export interface StarboardLeaderboard {
  /** Position of this page, with cursors. */
  pageInfo: PageInfo
  /** Exact number of users in the ranking. With `twitterId`: 1 if the user was found, otherwise 0. */
  totalCount: number
  /** Users of this page, highest score first. */
  edges: Array<StarboardLeaderboardEdge>
}

/** A user with a cursor. */
export interface StarboardLeaderboardEdge {
  /** Cursor of this user. */
  cursor: string
  /** The user. */
  node: StarboardLeaderboardNode
}

/** A user with the metrics of the ranking. */
export interface StarboardLeaderboardNode {
  /** X profile. */
  xUserProfile: XUserProfile
  /**
   * The rank. `value`: the rank; users with equal scores share a rank (1, 2, 2, 4). `delta`: rank minus previous rank, so it is
   * negative if the user has moved up. `percentage`: the percentile; 100 for the first rank.
   */
  rank: StarboardMetricValue
  /** The score. `value`: the score. `delta`: score minus score in the previous ranking. `percentage`: the percentage of the highest score. */
  influenceScore: StarboardMetricValue
  /**
   * Change of the score over 24 hours. `value` and `delta`: the change. `deltaRate`: the change divided by the earlier score.
   * `percentage`: 100 × `deltaRate`.
   */
  change24H: StarboardMetricValue
  /** Change of the score over 7 days, with the fields of `change24H`. */
  change7D: StarboardMetricValue
  /** Change of the score over 30 days, with the fields of `change24H`. */
  change30D: StarboardMetricValue
}

/** An X profile. */
export interface XUserProfile {
  /** Numeric ID on X; empty if unknown. */
  id: string
  /** Display name; the username if unknown. */
  name: string
  /** Handle, without `@`. */
  username: string
  /** URL of the picture; empty if unknown. */
  profileImageUrl: string
  /** Number of followers. */
  followersCount: number
  /** Kind of verification. */
  verifiedType: VerifiedType
}

/**
 * Kind of verification of an X account.
 *
 * - `blue`: Paid subscription.
 * - `business`: An organisation.
 * - `government`: A government body.
 * - `none`: Not verified.
 */
export type VerifiedType = 'blue' | 'business' | 'government' | 'none' | Unlisted

/** A metric and its change. docs/ranking.md, "The figures", has the formulas. */
export interface StarboardMetricValue {
  /** The value as a decimal string. */
  value: string
  /** Difference from the earlier value, rounded to a whole number. The earlier value is that of the previous ranking, or that of 24 hours, 7 or 30 days ago. */
  delta: number
  /** Difference divided by the earlier value, as a fraction: 0.05 is 5 %. */
  deltaRate: number
  /** Relative value in percent; its meaning depends on the metric. */
  percentage: number
}

/** The X user of an EVM address. */
export interface TwitterHandleByEvmAddress {
  /** The requested address, in lower case. */
  evmAddress: string
  /** The main address of the user: the address that was linked first. */
  mainAddress: string
  /** Handle on X; empty if the profile is not public. */
  twitterHandle: string
  /** True if the profile is public. */
  isPublic: boolean
}

/** The scores of one user on one starboard. */
export interface StarboardUserDetail {
  /** ID of the starboard. */
  starboardId: string
  /** Handle on X; empty if the profile is not public. */
  twitterHandle: string
  /** Score of the user's own activity; 0 if not set. */
  individual: number
  /** Score of the influence that the user has through other users; 0 if not set. */
  aura: number
  /** True if the profile is public. */
  isPublic: boolean
}

/** A community. */
export interface Space {
  /** Numeric ID, as a string. */
  id: string
  /** Display name. */
  name: string
  /** Description; null if not set. */
  description: string | null
  /**
   * The board of loyalty points, most points first, 50 members per page by default. All pages show the board as of the first
   * page. These fail with INVALID_ARGUMENT: an unknown sprint (`Invalid sprint ID`), and an invalid or expired cursor
   * (`Invalid cursor`).
   */
  loyaltyPointsRanks: LoyaltyPointsRanks | null
  /**
   * Extension: the points and the exact rank of a member, at any depth of the board; null if the address is not on the board.
   * These fail with INVALID_ARGUMENT: an unknown sprint (`Invalid sprint ID`), and a malformed address (`Invalid address`).
   */
  addressLoyaltyPoints: AddressLoyaltyPoints | null
  /**
   * Extension: the points and the exact ranks of up to 100 members, in the order of the addresses, all from one
   * version of the board. The element of an address that is not on the board is null. These fail with INVALID_ARGUMENT:
   * more than 100 addresses (`Too many addresses`), and a malformed address (`Invalid address`).
   */
  addressesLoyaltyPoints: Array<AddressLoyaltyPoints | null> | null
  /**
   * Extension: the changes of a member's points, newest first, 50 per page; empty for an address without changes. The fields
   * `source`, `reason` and `key` are null unless the account of the token is the owner or an admin of the space.
   */
  addressLoyaltyPointsHistory: LoyaltyPointsHistory | null
  /**
   * Extension: the members whose points or names on a board changed after a version, 50 per page. Apply all pages to your copy
   * of the board. The copy then equals the board at the `version` of the last page. A version
   * can be used until 30 minutes after a newer one replaced it. A cursor can be used until the oldest change on its page is
   * 30 minutes old. After that, the field fails with `Version expired` (VERSION_EXPIRED). Then read the board again.
   */
  changes: LoyaltyPointsChanges | null
  /** Extension: the sprints of the space, highest ID first, at most 1,000. */
  sprints: Array<Sprint> | null
}

/** Extension: a period of a space with a separate board. */
export interface Sprint {
  /** Numeric ID; pass it as `sprintId`. */
  id: number
  /** Display name; can be empty. */
  name: string
  /** Start; null if not set. */
  startTime: number | null
  /** End; null if not set. */
  endTime: number | null
}

/** Extension: a page of the changes of a member's points. */
export interface LoyaltyPointsHistory {
  /** Position of this page, with cursors. */
  pageInfo: PageInfo
  /** Changes of this page, newest first. */
  list: Array<LoyaltyPointsHistoryEntry>
}

/** Extension: a change of a member's points on one board. */
export interface LoyaltyPointsHistoryEntry {
  /** Points gained; negative if lost. A whole number that can have more than 32 bits. */
  amount: number
  /** Points after the change; null if the member left the board. */
  balance: number | null
  /** Time of the change. */
  time: number
  /** The sprint of the change; null if it concerns only the overall board. */
  sprintId: number | null
  /**
   * Cause of the change: `award`, `import`, `quest`, `rule`, `availability` (points of an award became available), `expiry`,
   * `reversal`, `erasure`, `removal` (the sprint was deleted), or `opening` (points from before the ledger). Later versions
   * can add others. Null unless the account of the token is the owner or an admin of the space.
   */
  source: string | null
  /** Text that describes the change; null if not set, or if `source` is null. */
  reason: string | null
  /** Key of the award; null if not set, or if `source` is null. */
  key: string | null
}

/** Extension: a page of the changed members of a board. A page can have fewer members than `first`, or none. */
export interface LoyaltyPointsChanges {
  /**
   * The version of the board that the points and names of this page have. When you have read the last page, pass its
   * `version` as the next `sinceVersion`.
   */
  version: string
  /** Exact number of members on the board. */
  totalCount: number
  /** `endCursor` leads to the next page; it is null on the last one. Cursors lead forward only. */
  pageInfo: PageInfo
  /** Members of this page, in the order of their changes. A member can be on several pages. */
  list: Array<LoyaltyPointsChange>
}

/** Extension: a member whose points or name changed. */
export interface LoyaltyPointsChange {
  /** Loyalty points; null if the member left the board. */
  points: number | null
  /** The member. */
  address: Address | null
}

/** Extension: a member of a board of loyalty points with its exact rank. */
export interface AddressLoyaltyPoints {
  /** Identifies the member on this board. */
  id: string
  /** Loyalty points. */
  points: number
  /** Rank. Members with equal points share a rank (1, 2, 2, 4). */
  rank: number
  /** Address in the canonical form of its chain (EVM: lower case). */
  address: string
  /** Exact number of members on the board. */
  totalCount: number
  /** Percentage of the members of the board whose points are not higher than those of this member; 100 for the first rank. */
  percentile: number
  /** Version of the board. A page of `loyaltyPointsRanks` with the same `version` has the same points and ranks. */
  version: string
}

/** A page of a board of loyalty points. */
export interface LoyaltyPointsRanks {
  /** Extension: the version of the board that all pages show. Pass it to `Space.changes`. */
  version: string
  /** Exact number of members on the board, as of the first page. */
  totalCount: number
  /** Position of this page, with cursors. */
  pageInfo: PageInfo
  /** Members of this page, most points first. Members with equal points are ordered by address. */
  list: Array<LoyaltyPointsRank>
  /** Extension: the members of `list`, each with a cursor. */
  edges: Array<LoyaltyPointsRankEdge>
}

/** Extension: a member of a page, with a cursor. */
export interface LoyaltyPointsRankEdge {
  /** Pass it as `cursorAfter` or `cursorBefore`. */
  cursor: string
  /** The member. */
  node: LoyaltyPointsRank
}

/** A member with rank and points. */
export interface LoyaltyPointsRank {
  /** Rank. Members with equal points share a rank (1, 2, 2, 4). */
  rank: number
  /** Loyalty points. */
  points: number
  /** The member. */
  address: Address | null
}

/** A member of a board: address, name and picture. */
export interface Address {
  /** Name; a short stable ID for members without a name. */
  username: string
  /** Address in the canonical form of its chain (EVM: lower case). */
  address: string
  /** URL of the picture; empty if not set. */
  avatar: string
}

/** A fact about addresses, such as "holds this NFT", with a list of holders. */
export interface Credential {
  /** Numeric ID, as a string. */
  id: string
  /** Display name. */
  name: string
  /** Description; empty if not set. */
  description: string
  /** Kind of identity that can hold the credential. */
  credType: CredType
  /** How the holders are determined. */
  credSource: CredSource
  /** Chain of the credential; null if it has none. */
  chain: string | null
  /** Link to more information; empty if not set. */
  referenceLink: string
  /** Exact number of holders. */
  itemCount: number | null
  /** Time of the last change of the credential or its list. */
  lastUpdate: number
  /** Time of the last successful synchronization of the list with its source. */
  lastSync: number
  /** Whether the list is current. `eligible` is reliable only if the status is SYNCED. */
  syncStatus: SyncStatus
  /** The space that maintains the credential; null if not set. */
  curatorSpace: Space | null
  /**
   * 1 if the address holds the credential, otherwise 0. If the address belongs to an account and is not of the type of the
   * credential, the linked identities of this type count too: docs/identity.md, "Eligibility of linked identities". These
   * fail with INVALID_ARGUMENT: an empty address (`Address not provided`), and text that cannot be an address, handle or ID
   * for the `credType` (`Invalid address`).
   */
  eligible: number | null
}

/**
 * Kind of identity that can hold a credential.
 *
 * - `TWITTER`: An X account.
 * - `DISCORD`: A Discord account.
 * - `EVM_ADDRESS`: An address of an EVM chain.
 * - `SOLANA_ADDRESS`: A Solana address.
 * - `GITHUB`: A GitHub account.
 * - `EMAIL`: An email address.
 */
export type CredType = 'TWITTER' | 'DISCORD' | 'EVM_ADDRESS' | 'SOLANA_ADDRESS' | 'GITHUB' | 'EMAIL' | Unlisted

/**
 * How the holders of a credential are determined.
 *
 * - `TWITTER_FOLLOW`: Holders follow an X account.
 * - `DISCORD_MEMBER`: Holders are members of a Discord server.
 * - `CONTRACT_NFT_HOLDER`: Holders have a token of an NFT contract.
 * - `WALLET_BALANCE`: Holders have a balance.
 * - `QUIZ`: Holders have passed a quiz.
 * - `API`: The service asks an API at each query.
 * - `VISIT_LINK`: Holders have visited a link.
 * - `CSV`: Holders are in a list in a CSV file.
 * - `REST`: Holders are in a list that a REST endpoint returns.
 * - `GRAPHQL`: Holders are in a list that a GraphQL endpoint returns.
 * - `SUBGRAPH`: Holders are in a list that a subgraph returns.
 * - `SNAPSHOT_ORG`: Holders have voted on Snapshot.
 * - `GITHUB_CONTRIBUTOR`: Holders have contributed to a GitHub repository.
 * - `SURVEY`: Holders have answered a survey.
 * - `TWITTER_RT`: Holders have reposted on X.
 * - `TWITTER_LIKE`: Holders have liked a post on X.
 * - `GOOGLE_SHEET`: Holders are in a list in a Google sheet.
 */
export type CredSource =
  | 'TWITTER_FOLLOW'
  | 'DISCORD_MEMBER'
  | 'CONTRACT_NFT_HOLDER'
  | 'WALLET_BALANCE'
  | 'QUIZ'
  | 'API'
  | 'VISIT_LINK'
  | 'CSV'
  | 'REST'
  | 'GRAPHQL'
  | 'SUBGRAPH'
  | 'SNAPSHOT_ORG'
  | 'GITHUB_CONTRIBUTOR'
  | 'SURVEY'
  | 'TWITTER_RT'
  | 'TWITTER_LIKE'
  | 'GOOGLE_SHEET'
  | Unlisted

/**
 * Whether the list of holders is current.
 *
 * - `SYNCED`: The list is complete and reliable.
 * - `SYNCING`: The list is being updated, the last update failed, or there is no list yet. The list can be out of date or missing.
 */
export type SyncStatus = 'SYNCED' | 'SYNCING' | Unlisted

/** Filters of the list of quests, and the page. */
export interface ListQuestInput {
  /** Numeric ID of a space, as a string; null or an empty string for all spaces. */
  spaceId?: string | number | null
  /** Statuses to include; null or empty for all. */
  statuses?: ReadonlyArray<QuestStatus> | null
  /** Types to include; null or empty for all. */
  types?: ReadonlyArray<QuestType> | null
  /** Extension: the order of the list; default NEWEST. */
  order?: QuestOrder | null
  /** Number of quests of a page, 1 to 100; default 20. A larger number is treated as 100. */
  first?: number | null
  /** `pageInfo.endCursor` of the previous page; null, an empty string or "-1" for the first page. */
  after?: string | null
}

/**
 * Extension: an order of the list of quests.
 *
 * - `NEWEST`: Newest first.
 * - `OPEN_FIRST`: Active quests, newest first; then those that have not started, by their start time; then the others, newest first. Status
 * and start time are those of the first page.
 */
export type QuestOrder = 'NEWEST' | 'OPEN_FIRST' | Unlisted

/** One page of a list of quests. */
export interface QuestList {
  /** Exact number of quests that match the filters, as of the first page. */
  totalCount: number
  /** Position of this page, with cursors. */
  pageInfo: PageInfo
  /** The quests of this page, in the order of the list. */
  list: Array<Quest>
}

/** A task of a community, with conditions and rewards. */
export interface Quest {
  /** ID of the quest. */
  id: string
  /** Display name. */
  name: string
  /** Kind of reward. */
  type: QuestType
  /** Current status; in a list, the status as of the first page. */
  status: QuestStatus
  /** Description; empty if not set. */
  description: string
  /** Start time; null if not set. */
  startTime: number | null
  /** End time; null if not set. */
  endTime: number | null
  /** Maximum number of participants; 0 for no cap. */
  cap: number
  /** Number of participants. */
  participantsCount: number
  /** Loyalty points for completing the quest. */
  loyaltyPoints: number
  /** Payer of the gas fees. */
  gasType: GasType
  /** The space that runs the quest. */
  space: Space
  /** Chain of the quest; null if it has none. */
  chain: string | null
  /**
   * Groups of conditions and rewards. The service evaluates them for one address, in the same way as `Credential.eligible`.
   * An empty address meets no condition.
   */
  credentialGroups: Array<CredentialGroup | null> | null
}

/** A group of conditions with the rewards for meeting them. */
export interface CredentialGroup {
  /** ID of the group within its quest. */
  id: string
  /** Display name; empty if not set. */
  name: string
  /** Whether all conditions must be met, or at least one. */
  conditionRelation: ConditionRelation
  /** The conditions. */
  conditions: Array<CredentialCondition>
  /** The rewards. */
  rewards: Array<CredentialReward>
}

/**
 * How the conditions of a group are combined.
 *
 * - `ALL`: All conditions must be met.
 * - `ANY`: At least one condition must be met.
 */
export type ConditionRelation = 'ALL' | 'ANY' | Unlisted

/** A condition of a group: the address holds a credential. */
export interface CredentialCondition {
  /** Text that describes the condition, written by the author of the quest. The service does not evaluate it. */
  expression: string
  /** True if the address meets the condition. */
  eligible: boolean
}

/** A reward of a group. */
export interface CredentialReward {
  /** Text that describes the reward, written by the author of the quest. The service does not evaluate it. */
  expression: string
  /** True if the address meets the conditions of the group. */
  eligible: boolean
  /** Kind of reward. */
  rewardType: RewardType
  /** Number of rewards for the address; 0 if it is not eligible. */
  rewardCount: number
}

/**
 * Kind of reward of a quest, as its author has set it. The service does not interpret it.
 *
 * - `Drop`: Rewards of no special kind.
 * - `MysteryBox`: A random reward.
 * - `Airdrop`: A token distribution.
 * - `Points`: Loyalty points.
 * - `ExternalLink`: A reward on an external site.
 * - `Bounty`: A payment for a contribution.
 */
export type QuestType = 'Drop' | 'MysteryBox' | 'Airdrop' | 'Points' | 'ExternalLink' | 'Bounty' | Unlisted

/**
 * Status of a quest.
 *
 * - `Draft`: Not published, not visible.
 * - `Active`: Accepts participants.
 * - `NotStarted`: Published, starts later.
 * - `Expired`: The end time has passed.
 * - `CapReached`: The maximum number of participants is reached.
 * - `Deleted`: Deleted.
 */
export type QuestStatus = 'Draft' | 'Active' | 'NotStarted' | 'Expired' | 'CapReached' | 'Deleted' | Unlisted

/**
 * Payer of the gas fees of a quest.
 *
 * - `Gas`: The user.
 * - `Gasless`: The platform.
 */
export type GasType = 'Gas' | 'Gasless' | Unlisted

/**
 * Kind of a reward.
 *
 * - `NFT`: A non-fungible token.
 * - `TOKEN`: An amount of a token.
 * - `DISCORDROLE`: A Discord role.
 * - `LOYALTYPOINTS`: Loyalty points of the space.
 * - `OAT`: An on-chain achievement token.
 * - `CUSTOM`: Another reward, which the expression describes.
 * - `LOYALTYPOINTSMYSTERYBOX`: A random number of loyalty points.
 * - `MINTLIST`: A place on a mint list.
 */
export type RewardType =
  | 'NFT'
  | 'TOKEN'
  | 'DISCORDROLE'
  | 'LOYALTYPOINTS'
  | 'OAT'
  | 'CUSTOM'
  | 'LOYALTYPOINTSMYSTERYBOX'
  | 'MINTLIST'
  | Unlisted

/** The type of a variable, by the name that a document declares it with. */
export interface Inputs {
  ID: string | number
  Int: number
  String: string
  UnixTime: number
  Boolean: boolean
  PaginationInput: PaginationInput
  ForwardPaginationInput: ForwardPaginationInput
  StarboardType: StarboardType
  VerifiedType: VerifiedType
  Float: number
  CredType: CredType
  CredSource: CredSource
  SyncStatus: SyncStatus
  ListQuestInput: ListQuestInput
  QuestOrder: QuestOrder
  ConditionRelation: ConditionRelation
  QuestType: QuestType
  QuestStatus: QuestStatus
  GasType: GasType
  RewardType: RewardType
}
