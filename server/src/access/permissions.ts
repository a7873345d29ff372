import { areaDenied } from '../errors.ts'
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
