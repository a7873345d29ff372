import { areaDenied } from '../errors.ts'
import type { Area } from '../graphql/context.ts'

/** The fields through which an area is entered. A space's own name beside a quest or a credential is not the area. */
const areaOf: Record<string, Area> = {
  'Query.starboard': 'starboard',
  'Query.space': 'space',
  'Query.spaceLoyaltyPointsRanks': 'space',
  'Space.loyaltyPointsRanks': 'space',
  'Query.credential': 'credential',
  'Query.quest': 'quest',
  'Query.quests': 'quest',
}

/** @throws PERMISSION_DENIED when the document touches an area that the token may not read */
export function requireAreas(coordinates: ReadonlySet<string>, allowed: readonly string[]): void {
  for (const coordinate of coordinates) {
    const area = areaOf[coordinate]
    if (area && !allowed.includes(area)) throw areaDenied(area, allowed)
  }
}
