export type { BoardChanges, BoardPage, ChangesPage, LiveMember, LivePlace } from './board-changes.ts'
export type { Clock } from './clock.ts'
export type { CredentialInfo, CredentialReader, Eligibility, EligibilityOptions } from './credential.ts'
export type { AnyData, ResultOf, TypedDocument, VariablesOf } from './document-types.ts'
export { type ErrorCategory, type ErrorCode, type ErrorEntry, QuestboardError } from './errors.ts'
export type { CacheTimes, Fetch, PageSettings, QuestboardOptions, RequestOptions, RetrySettings } from './options.ts'
export type { MemberPoints, PageAround, PageAroundOptions, PointsHistoryPage, SprintOptions } from './member-points.ts'
export type { LiveBoard, LiveOptions } from './live/board.ts'
export type { List, ListOptions, PagePlace } from './paging.ts'
export type { QuestInfo, QuestReader } from './quest.ts'
export type { QuestFilter, QuestPage } from './quest-list.ts'
export { createQuestboard, type Questboard, type QueryOptions } from './questboard.ts'
export {
  eligibilityReliable,
  type GroupFacts,
  groupMet,
  type NoParticipation,
  type NotMet,
  type ParticipationFacts,
  questAcceptsParticipation,
  type Reason,
  type Verdict,
} from './rules.ts'
export type * from './schema.ts'
export type { Attempt } from './sign-in/callback.ts'
export { OAuthError, type OAuthErrorCode } from './sign-in/oauth-error.ts'
export type { SignInEndpoints, SignInOptions } from './sign-in/options.ts'
export type { RandomBytes } from './sign-in/pkce.ts'
export type { Scope, UserData } from './sign-in/scopes.ts'
export type { UserSession } from './sign-in/session.ts'
export { createSignIn, type SignIn, type TokenDetail } from './sign-in/sign-in.ts'
export type { Tokens } from './sign-in/tokens.ts'
export type {
  LoyaltyPointsOptions,
  LoyaltyPointsPage,
  RankSearch,
  RankSearchOptions,
  SpaceInfo,
  SpaceReader,
} from './space.ts'
export type { LeaderboardOptions, LeaderboardPage, LiveUser, RankedUser, StarboardReader, Trend } from './starboard.ts'
