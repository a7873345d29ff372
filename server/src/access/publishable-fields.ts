import { fieldDenied } from '../errors.ts'

/**
 * The fields with a resolver that a publishable token can read. Other fields return facts about one person that the
 * public pages do not show, such as links between identities, or are new and not examined yet.
 */
const PUBLIC_FIELDS: ReadonlySet<string> = new Set([
  'Query.starboard',
  'Query.space',
  'Query.spaceLoyaltyPointsRanks',
  'Query.credential',
  'Query.quest',
  'Query.quests',
  'Starboard.leaderboard',
  'Space.loyaltyPointsRanks',
  'Space.addressLoyaltyPoints',
  'Space.addressesLoyaltyPoints',
  'Space.sprints',
])

/** @throws PERMISSION_DENIED */
export function requirePublicFields(fieldsWithResolver: readonly string[]): void {
  const denied = fieldsWithResolver.find((coordinate) => !PUBLIC_FIELDS.has(coordinate))
  if (denied !== undefined) throw fieldDenied(denied)
}
