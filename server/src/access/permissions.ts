import { areaDenied, fieldDenied } from '../errors.ts'
import type { Area } from '../graphql/context.ts'

/** The area that each field enters. A space's name in a quest or a credential does not enter the area. */
const areaOf: Record<string, Area> = {
  'Query.starboard': 'starboard',
  'Query.space': 'space',
  'Query.spaceLoyaltyPointsRanks': 'space',
  'Space.loyaltyPointsRanks': 'space',
  'Space.addressLoyaltyPoints': 'space',
  'Space.addressesLoyaltyPoints': 'space',
  'Space.addressLoyaltyPointsHistory': 'space',
  'Space.changes': 'space',
  'Space.sprints': 'space',
  'Query.credential': 'credential',
  'Query.quest': 'quest',
  'Query.quests': 'quest',
}

/** @throws PERMISSION_DENIED if the document uses an area that the token cannot read */
export function requireAreas(coordinates: ReadonlySet<string>, allowed: readonly string[]): void {
  for (const coordinate of coordinates) {
    const area = areaOf[coordinate]
    if (area) requireArea(area, allowed)
  }
}

/** @throws PERMISSION_DENIED */
export function requireArea(area: Area, allowed: readonly string[]): void {
  if (!allowed.includes(area)) throw areaDenied(area, allowed)
}

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

/** @param resolved the fields with a resolver @throws PERMISSION_DENIED */
export function requirePublicFields(resolved: readonly string[]): void {
  const denied = resolved.find((coordinate) => !PUBLIC_FIELDS.has(coordinate))
  if (denied !== undefined) throw fieldDenied(denied)
}
