/**
 * The types of the specification of the GraphQL endpoint as a schema, for a client that was generated from the specification. If the specification
 * shows no type, the type is that of the service.
 */
export const specifiedSchema = `
  type Query {
    starboard(id: ID!): Starboard
    space(id: Int!): Space
    spaceLoyaltyPointsRanks(spaceId: Int!, sprintId: Int, cursorAfter: String): LoyaltyPointsRanks
    credential(id: ID!): Credential
    quest(id: ID!): Quest
    quests(input: ListQuestInput!): QuestList
  }
  scalar UnixTime
  type PageInfo { hasNextPage: Boolean endCursor: String }
  input PaginationInput { forward: ForwardPaginationInput! }
  input ForwardPaginationInput { first: Int! after: String }

  type Starboard {
    basicInfo: StarboardBasicInfo!
    leaderboard(twitterId: String, pagination: PaginationInput): StarboardLeaderboard
    twitterHandleByEvmAddress(evmAddress: String!): TwitterHandleByEvmAddress
    userDetail(evmAddress: String!): StarboardUserDetail
  }
  type StarboardBasicInfo {
    id: ID name: String projectName: String description: String tags: [String!] type: StarboardType
    reward: StarboardReward
  }
  enum StarboardType { TWITTER ONCHAIN }
  type StarboardReward { name: String description: String startTime: UnixTime endTime: UnixTime }
  type StarboardLeaderboard { pageInfo: PageInfo edges: [StarboardLeaderboardEdge!] }
  type StarboardLeaderboardEdge { node: StarboardLeaderboardNode }
  type StarboardLeaderboardNode {
    xUserProfile: XUserProfile rank: StarboardMetricValue influenceScore: StarboardMetricValue
    change24H: StarboardMetricValue change7D: StarboardMetricValue change30D: StarboardMetricValue
  }
  type XUserProfile { username: String followersCount: Int verifiedType: VerifiedType }
  enum VerifiedType { blue business government none }
  type StarboardMetricValue { value: String! delta: Int! deltaRate: Float! percentage: Float! }
  type TwitterHandleByEvmAddress { evmAddress: String! mainAddress: String! twitterHandle: String! isPublic: Boolean! }
  type StarboardUserDetail {
    starboardId: String! twitterHandle: String! individual: Int! aura: Int! isPublic: Boolean!
  }

  type Space {
    id: String! name: String! description: String
    loyaltyPointsRanks(
      first: Int @deprecated after: String @deprecated cursorAfter: String cursorBefore: String sprintId: Int
    ): LoyaltyPointsRanks
  }
  type LoyaltyPointsRanks { totalCount: Int pageInfo: PageInfo list: [LoyaltyPointsRank!] }
  type LoyaltyPointsRank { rank: Int! points: Int! address: Address }
  type Address { username: String address: String avatar: String }

  type Credential {
    id: ID! name: String! description: String credType: CredType! credSource: CredSource! chain: String
    referenceLink: String itemCount: Int lastUpdate: UnixTime lastSync: UnixTime syncStatus: SyncStatus!
    curatorSpace: Space eligible(address: String!, campaignId: ID): Int
  }
  enum CredType { TWITTER DISCORD EVM_ADDRESS SOLANA_ADDRESS GITHUB EMAIL }
  enum CredSource { TWITTER_FOLLOW DISCORD_MEMBER CONTRACT_NFT_HOLDER WALLET_BALANCE QUIZ API }
  enum SyncStatus { SYNCED SYNCING }

  input ListQuestInput { spaceId: ID statuses: [QuestStatus!] types: [QuestType!] first: Int after: String }
  type QuestList { totalCount: Int pageInfo: PageInfo list: [Quest!] }
  type Quest {
    id: ID! name: String! type: QuestType status: QuestStatus! description: String startTime: UnixTime
    endTime: UnixTime cap: Int participantsCount: Int! loyaltyPoints: Int! gasType: GasType space: Space chain: String
    credentialGroups(address: String!): [CredentialGroup]
  }
  type CredentialGroup {
    id: ID name: String conditionRelation: ConditionRelation conditions: [CredentialCondition!]
    rewards: [CredentialReward!]
  }
  enum ConditionRelation { ALL ANY }
  type CredentialCondition { expression: String eligible: Boolean }
  type CredentialReward { expression: String eligible: Boolean rewardType: RewardType rewardCount: Int }
  enum RewardType { NFT TOKEN DISCORDROLE LOYALTYPOINTS OAT CUSTOM }
  enum QuestType { Drop MysteryBox Airdrop Points ExternalLink }
  enum QuestStatus { Draft Active NotStarted Expired CapReached Deleted }
  enum GasType { Gas Gasless }
`
