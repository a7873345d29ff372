// Generated from schema.graphql by `npm run generate -w @questboard/client`. Do not edit.

/** A value that this version of the client does not list: servers may know more. */
export type Unlisted = string & Record<never, never>

/** The root of every query. A field that fails answers null beside an entry in `errors`. */
export interface Query {
  /** One starboard. Unknown id: `Starboard not found` (NOT_FOUND). */
  starboard: Starboard | null
  /** One space. Unknown id: `Space not found` (NOT_FOUND). */
  space: Space | null
  /**
   * The loyalty points of a space, like `space(id) { loyaltyPointsRanks }`. Unknown space: `Space not found` (NOT_FOUND);
   * unknown sprint: `Invalid sprint ID`; malformed, foreign or expired cursor: `Invalid cursor` (INVALID_ARGUMENT).
   */
  spaceLoyaltyPointsRanks: LoyaltyPointsRanks | null
  /** One credential. Unknown id: `Credential not found` (NOT_FOUND). */
  credential: Credential | null
  /**
   * One quest. Unknown, draft or deleted: `Quest not found` (NOT_FOUND). Private, and the token's account does not own
   * its space: `Quest is private` (PERMISSION_DENIED).
   */
  quest: Quest | null
  /**
   * The public quests, newest first. Pages that follow each other by cursor show the list as of the first page.
   * A status that does not exist: `Invalid status filter`; malformed, foreign or expired cursor: `Invalid cursor` (INVALID_ARGUMENT).
   */
  quests: QuestList | null
}

/** Where a page lies in its list, and how to ask for its neighbours. */
export interface PageInfo {
  /** Whether more follows after this page. */
  hasNextPage: boolean
  /** Whether something stands before this page. */
  hasPreviousPage: boolean
  /** Cursor of the first element of this page; null when the page is empty. */
  startCursor: string | null
  /**
   * Cursor of the last element of this page: pass it back to read on; null when the page is empty.
   * A cursor is opaque, at most 200 characters, valid for 30 minutes after the first page, and only for the list it came from.
   */
  endCursor: string | null
}

/** Where to read on in a starboard's leaderboard. */
export interface PaginationInput {
  /** Read forward from a cursor. */
  forward: ForwardPaginationInput
}

/** A number of elements from a cursor on. */
export interface ForwardPaginationInput {
  /** How many elements: at least 1; more than 1,000 answers 1,000. */
  first: number
  /** `pageInfo.endCursor` of the page before; null, an empty string or "-1" for the first page. */
  after?: string | null
}

/** A ranking of users by social influence or by activity on a chain. */
export interface Starboard {
  /** What the starboard is about. */
  basicInfo: StarboardBasicInfo
  /**
   * The ranking, best first. Pages that follow each other by cursor show one ranking, however often it is computed anew meanwhile.
   * Malformed pagination or cursor: `Invalid pagination` (INVALID_ARGUMENT).
   */
  leaderboard: StarboardLeaderboard | null
  /** The X user behind an EVM address. No such link, or not on this starboard: null and `Twitter user not found` (NOT_FOUND). */
  twitterHandleByEvmAddress: TwitterHandleByEvmAddress | null
  /** The scores of the user behind an EVM address. No such link, or not on this starboard: null and `Twitter user not found` (NOT_FOUND). */
  userDetail: StarboardUserDetail | null
}

/** What a starboard is about. */
export interface StarboardBasicInfo {
  /** Identifier of the starboard. */
  id: string
  /** Display name. */
  name: string
  /** Name of the project that runs it; empty when none was given. */
  projectName: string
  /** Description; empty when none was given. */
  description: string
  /** Tags, in the order given. */
  tags: Array<string>
  /** What is ranked. */
  type: StarboardType
  /** What the best are rewarded with; null when there is no reward. */
  reward: StarboardReward | null
}

/**
 * What a starboard ranks.
 *
 * - `TWITTER`: Influence on the social platform.
 * - `ONCHAIN`: Activity on a chain.
 */
export type StarboardType = 'TWITTER' | 'ONCHAIN' | Unlisted

/** What the best of a starboard are rewarded with. */
export interface StarboardReward {
  /** Name of the reward. */
  name: string
  /** Description; empty when none was given. */
  description: string
  /** Beginning of the period that counts; null when open. */
  startTime: number | null
  /** End of the period that counts; null when open. */
  endTime: number | null
}

/** One page of a starboard's ranking. */
export interface StarboardLeaderboard {
  /** Where this page lies. */
  pageInfo: PageInfo
  /** Users in the ranking that this page shows; exact. With `twitterId`: 1 when the user was found, else 0. */
  totalCount: number
  /** The users of this page, best first. */
  edges: Array<StarboardLeaderboardEdge>
}

/** A place in the ranking. */
export interface StarboardLeaderboardEdge {
  /** Cursor of this place. */
  cursor: string
  /** The user in this place. */
  node: StarboardLeaderboardNode
}

/** A user with all figures of the ranking. */
export interface StarboardLeaderboardNode {
  /** The profile on X. */
  xUserProfile: XUserProfile
  /** Place: `value` is the competition rank (1, 2, 2, 4), `delta` < 0 means improved, `percentage` is the percentile (100 = best). */
  rank: StarboardMetricValue
  /** Score: `delta` against the ranking before, `percentage` the share of the top score. */
  influenceScore: StarboardMetricValue
  /** Change of the score over 24 hours. */
  change24H: StarboardMetricValue
  /** Change of the score over 7 days. */
  change7D: StarboardMetricValue
  /** Change of the score over 30 days. */
  change30D: StarboardMetricValue
}

/** A profile on X. */
export interface XUserProfile {
  /** Numeric identifier on X; empty when it is not known. */
  id: string
  /** Display name; the username when it is not known. */
  name: string
  /** Handle, without `@`. */
  username: string
  /** URL of the picture; empty when it is not known. */
  profileImageUrl: string
  /** Number of followers. */
  followersCount: number
  /** How the account is verified. */
  verifiedType: VerifiedType
}

/**
 * How an account on X is verified.
 *
 * - `blue`: Paid subscription.
 * - `business`: An organisation.
 * - `government`: A government body.
 * - `none`: Not verified.
 */
export type VerifiedType = 'blue' | 'business' | 'government' | 'none' | Unlisted

/** A figure and how it moved. docs/ranking.md has the formulas. */
export interface StarboardMetricValue {
  /** The figure as a decimal string. */
  value: string
  /** Absolute change since the previous period, rounded to a whole number. */
  delta: number
  /** Relative change since the previous period as a fraction: 0.05 is 5 %. */
  deltaRate: number
  /** Relative score in percent. */
  percentage: number
}

/** The X user behind an EVM address. */
export interface TwitterHandleByEvmAddress {
  /** The address asked for, in lower case. */
  evmAddress: string
  /** The first address that the user linked. */
  mainAddress: string
  /** Handle on X; empty when the profile is not public. */
  twitterHandle: string
  /** Whether the user shows the profile publicly. */
  isPublic: boolean
}

/** The scores of one user on one starboard. */
export interface StarboardUserDetail {
  /** Identifier of the starboard. */
  starboardId: string
  /** Handle on X; empty when the profile is not public. */
  twitterHandle: string
  /** Score of the user's own activity; 0 when never given. */
  individual: number
  /** Score of the user's influence through others; 0 when never given. */
  aura: number
  /** Whether the user shows the profile publicly. */
  isPublic: boolean
}

/** A community. */
export interface Space {
  /** Numeric identifier, as a string. */
  id: string
  /** Display name. */
  name: string
  /** Description; null when none was given. */
  description: string | null
  /**
   * The loyalty points, most first, 50 a page. Pages that follow each other by cursor show the board as of the first page.
   * Unknown sprint: `Invalid sprint ID`; malformed, foreign or expired cursor: `Invalid cursor` (INVALID_ARGUMENT).
   */
  loyaltyPointsRanks: LoyaltyPointsRanks | null
}

/** One page of a loyalty points board. */
export interface LoyaltyPointsRanks {
  /** Members on the board; exact, as of the first page. */
  totalCount: number
  /** Where this page lies. */
  pageInfo: PageInfo
  /** The ranks of this page, most points first, equal points by address. */
  list: Array<LoyaltyPointsRank>
}

/** A member's place on a loyalty points board. */
export interface LoyaltyPointsRank {
  /** Competition rank: equal points share a rank (1, 2, 2, 4). */
  rank: number
  /** Loyalty points. */
  points: number
  /** The member. */
  address: Address | null
}

/** A member of a community. */
export interface Address {
  /** Name; a short stable id for members without one. */
  username: string
  /** Address in its chain's canonical form (EVM: lower case). */
  address: string
  /** URL of the picture; empty when there is none. */
  avatar: string
}

/** Something that an address can have earned, with the list of those who have. */
export interface Credential {
  /** Numeric identifier, as a string. */
  id: string
  /** Name for people. */
  name: string
  /** Description; empty when none was given. */
  description: string
  /** Platform whose identities hold it. */
  credType: CredType
  /** How holders are found. */
  credSource: CredSource
  /** Chain that it is about; null when it is about none. */
  chain: string | null
  /** Link to more; empty when there is none. */
  referenceLink: string
  /** Number of holders; exact. */
  itemCount: number | null
  /** When the credential or its list last changed. */
  lastUpdate: number
  /** When the list was last brought in line with its source. */
  lastSync: number
  /** Whether the list is current; an eligibility is reliable only when SYNCED (spec 3.3). */
  syncStatus: SyncStatus
  /** The space that looks after the credential; null when there is none. */
  curatorSpace: Space | null
  /**
   * 1 if the address holds the credential, 0 if it does not. Identities of the credential's type that are linked to the
   * account of the address count, too. Missing or empty address: `Address not provided`; a text that begins like an
   * address, such as `0x`, and is none: `Invalid address`. Any other text is taken for a handle.
   */
  eligible: number | null
}

/**
 * Platform whose identities hold a credential.
 *
 * - `TWITTER`: An X account.
 * - `DISCORD`: A Discord account.
 * - `EVM_ADDRESS`: An address of an EVM chain.
 * - `SOLANA_ADDRESS`: An address of Solana.
 * - `GITHUB`: A GitHub account.
 * - `EMAIL`: A mail address.
 */
export type CredType = 'TWITTER' | 'DISCORD' | 'EVM_ADDRESS' | 'SOLANA_ADDRESS' | 'GITHUB' | 'EMAIL' | Unlisted

/**
 * How the holders of a credential are found.
 *
 * - `TWITTER_FOLLOW`: Follows an X account.
 * - `DISCORD_MEMBER`: Is a member of a Discord server.
 * - `CONTRACT_NFT_HOLDER`: Holds a token of an NFT contract.
 * - `WALLET_BALANCE`: Holds a balance.
 * - `QUIZ`: Passed a quiz.
 * - `API`: An API is asked.
 * - `VISIT_LINK`: Visited a link.
 * - `CSV`: A list in a file.
 * - `REST`: A REST endpoint answers the list.
 * - `GRAPHQL`: A GraphQL endpoint answers the list.
 * - `SUBGRAPH`: A subgraph answers the list.
 * - `SNAPSHOT_ORG`: Voted on Snapshot.
 * - `GITHUB_CONTRIBUTOR`: Contributed to a GitHub repository.
 * - `SURVEY`: Answered a survey.
 * - `TWITTER_RT`: Reposted on X.
 * - `TWITTER_LIKE`: Liked on X.
 * - `GOOGLE_SHEET`: A list in a Google sheet.
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
 * Whether a credential's list is current.
 *
 * - `SYNCED`: Current and reliable.
 * - `SYNCING`: Being updated; may be stale.
 */
export type SyncStatus = 'SYNCED' | 'SYNCING' | Unlisted

/** Which quests, and which page of them. */
export interface ListQuestInput {
  /** Only quests of this space: its numeric identifier as a string; null or an empty string for those of all. */
  spaceId?: string | number | null
  /** Only quests in one of these states; null or empty for all. */
  statuses?: ReadonlyArray<QuestStatus> | null
  /** Only quests of one of these types; null or empty for all. */
  types?: ReadonlyArray<QuestType> | null
  /** How many quests: at least 1; more than 100 answers 100; default 20. */
  first?: number | null
  /** `pageInfo.endCursor` of the page before; null, an empty string or "-1" for the first page. */
  after?: string | null
}

/** One page of a list of quests. */
export interface QuestList {
  /** Quests that pass the filters; exact, as of the first page. */
  totalCount: number
  /** Where this page lies. */
  pageInfo: PageInfo
  /** The quests of this page, newest first. */
  list: Array<Quest>
}

/** Something to do for a community, with conditions and rewards. */
export interface Quest {
  /** Identifier. */
  id: string
  /** Display name. */
  name: string
  /** What kind of reward it gives. */
  type: QuestType
  /** Current status; in a list, the status as of the first page. */
  status: QuestStatus
  /** Description; empty when none was given. */
  description: string
  /** Beginning of the quest period; null when open. */
  startTime: number | null
  /** End of the quest period; null when open. */
  endTime: number | null
  /** Maximum number of participants; 0 for no cap. */
  cap: number
  /** Number of participants. */
  participantsCount: number
  /** Loyalty points awarded on completion. */
  loyaltyPoints: number
  /** Who pays the gas fees. */
  gasType: GasType
  /** The space that runs the quest. */
  space: Space
  /** Chain that it is about; null when it is about none. */
  chain: string | null
  /**
   * The groups of conditions with their rewards, evaluated for one address from the credentials' holder lists at answer time.
   * Identities that are linked to the account of the address count as in `eligible`. An empty address is eligible for nothing.
   */
  credentialGroups: Array<CredentialGroup | null> | null
}

/** Conditions that belong together, and what meeting them gives. */
export interface CredentialGroup {
  /** Identifier of the group within its quest. */
  id: string
  /** Display name; empty when none was given. */
  name: string
  /** Whether every condition has to hold, or one. */
  conditionRelation: ConditionRelation
  /** The conditions. */
  conditions: Array<CredentialCondition>
  /** The rewards. */
  rewards: Array<CredentialReward>
}

/**
 * How the conditions of a group combine.
 *
 * - `ALL`: Every condition has to hold.
 * - `ANY`: One condition has to hold.
 */
export type ConditionRelation = 'ALL' | 'ANY' | Unlisted

/** One condition of a group: holding a credential. */
export interface CredentialCondition {
  /** What is asked for, in words or as a formula. */
  expression: string
  /** Whether the address meets it. */
  eligible: boolean
}

/** One reward of a group. */
export interface CredentialReward {
  /** What is given, in words or as a formula. */
  expression: string
  /** Whether the address meets the group's conditions. */
  eligible: boolean
  /** What kind of reward it is. */
  rewardType: RewardType
  /** How many the address gets; 0 when it is not eligible. */
  rewardCount: number
}

/**
 * What kind of reward a quest gives.
 *
 * - `Drop`: Standard rewards.
 * - `MysteryBox`: A random reward.
 * - `Airdrop`: A distribution of tokens.
 * - `Points`: Loyalty points.
 * - `ExternalLink`: Something on an external site.
 * - `Bounty`: A bounty for work.
 */
export type QuestType = 'Drop' | 'MysteryBox' | 'Airdrop' | 'Points' | 'ExternalLink' | 'Bounty' | Unlisted

/**
 * Where a quest stands (spec 3.1).
 *
 * - `Draft`: In development, not visible.
 * - `Active`: Live, accepting participants.
 * - `NotStarted`: Scheduled, not yet begun.
 * - `Expired`: Its period has ended.
 * - `CapReached`: The maximum of participants is reached.
 * - `Deleted`: Removed.
 */
export type QuestStatus = 'Draft' | 'Active' | 'NotStarted' | 'Expired' | 'CapReached' | 'Deleted' | Unlisted

/**
 * Who pays the gas fees of a quest.
 *
 * - `Gas`: The user.
 * - `Gasless`: The platform.
 */
export type GasType = 'Gas' | 'Gasless' | Unlisted

/**
 * What kind of thing a reward is.
 *
 * - `NFT`: A non-fungible token.
 * - `TOKEN`: An amount of a token.
 * - `DISCORDROLE`: A role on a Discord server.
 * - `LOYALTYPOINTS`: Loyalty points of the space.
 * - `OAT`: An on-chain achievement token.
 * - `CUSTOM`: Something else, told by the expression.
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
  ConditionRelation: ConditionRelation
  QuestType: QuestType
  QuestStatus: QuestStatus
  GasType: GasType
  RewardType: RewardType
}
