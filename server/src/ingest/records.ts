/**
 * Records of each kind for code; files have the same fields (docs/import.md). An absent field keeps its value in an
 * existing object and gets the default in a new one; null sets the default.
 */
export interface Records {
  spaces: SpaceRecord
  sprints: SprintRecord
  points: PointsRecord
  awards: AwardRecord
  starboards: StarboardRecord
  users: UserRecord
  samples: SampleRecord
  links: LinkRecord
  credentials: CredentialRecord
  holders: HolderRecord
  quests: QuestRecord
  participants: ParticipantRecord
}

/** RFC 3339, Unix seconds, or a Date; with millisecond precision. */
export type Time = string | number | Date
/** An integer; text and bigint are exact. */
export type Id = string | number | bigint
type Optional<T> = T | null | undefined

export interface SpaceRecord {
  spaceId: number
  name: string
  description?: Optional<string>
}

export interface SprintRecord {
  spaceId: number
  sprintId: number
  name?: Optional<string>
  startTime?: Optional<Time>
  endTime?: Optional<Time>
}

export interface PointsRecord {
  spaceId: number
  /** Default: the overall board of the space. */
  sprintId?: Optional<number>
  address: string
  points: number
  /** If absent or empty, the known value remains. */
  username?: Optional<string>
  avatar?: Optional<string>
}

/** Points to add. */
export interface AwardRecord {
  /** The award counts once per key in its space. */
  key: string
  spaceId: number
  /** Default: only the overall board. */
  sprintId?: Optional<number>
  address: string
  points: number
  reason?: Optional<string>
  /** Default: at once. */
  availableAt?: Optional<Time>
  /** Default: never. */
  expiresAt?: Optional<Time>
}

export interface StarboardRecord {
  id: string
  name: string
  projectName?: Optional<string>
  description?: Optional<string>
  tags?: Optional<readonly string[]>
  type: 'TWITTER' | 'ONCHAIN'
  rewardName?: Optional<string>
  rewardDescription?: Optional<string>
  rewardStartTime?: Optional<Time>
  rewardEndTime?: Optional<Time>
}

export interface UserRecord {
  starboardId: string
  username: string
  userId?: Optional<string>
  name?: Optional<string>
  profileImageUrl?: Optional<string>
  followersCount?: Optional<number>
  verifiedType?: Optional<'blue' | 'business' | 'government' | 'none'>
  isPublic?: Optional<boolean>
}

export interface SampleRecord {
  starboardId: string
  handle: string
  sampledAt: Time
  /** Rounded to six decimals. */
  score: number | string
  individual?: Optional<number>
  aura?: Optional<number>
}

export interface LinkRecord {
  starboardId: string
  evmAddress: string
  handle: string
}

export interface CredentialRecord {
  id: Id
  name: string
  description?: Optional<string>
  credType: string
  credSource: string
  chain?: Optional<string>
  referenceLink?: Optional<string>
  curatorSpaceId?: Optional<number>
  syncStatus?: Optional<'SYNCED' | 'SYNCING'>
  lastUpdate?: Optional<Time>
  lastSync?: Optional<Time>
}

export interface HolderRecord {
  /** Default: the credential in the options. */
  credentialId?: Optional<Id>
  address: string
}

export interface QuestRecord {
  id: string
  spaceId: number
  name: string
  description?: Optional<string>
  type: 'Drop' | 'MysteryBox' | 'Airdrop' | 'Points' | 'ExternalLink' | 'Bounty'
  /** Fixes the status of the quest, unless autoStatus is true. Without it the status is automatic. */
  status?: Optional<'Draft' | 'Active' | 'NotStarted' | 'Expired' | 'CapReached' | 'Deleted'>
  autoStatus?: Optional<boolean>
  startTime?: Optional<Time>
  endTime?: Optional<Time>
  /** 0 means unlimited. */
  cap?: Optional<number>
  /** Counts while it is larger than the number of imported participants. */
  participantsCount?: Optional<number>
  loyaltyPoints?: Optional<number>
  gasType?: Optional<'Gas' | 'Gasless'>
  chain?: Optional<string>
  isPrivate?: Optional<boolean>
  createdAt?: Optional<Time>
  credentialGroups?: Optional<readonly GroupRecord[]>
}

export interface GroupRecord {
  /** Default: the position of the group in the list, from 1. */
  id?: Optional<string | number>
  name?: Optional<string>
  conditionRelation: 'ALL' | 'ANY'
  conditions?: Optional<readonly { expression?: Optional<string>; credentialId: Id }[]>
  rewards?: Optional<readonly { expression?: Optional<string>; rewardType: string; rewardCount: number }[]>
}

export interface ParticipantRecord {
  questId: string
  address: string
  joinedAt?: Optional<Time>
}
