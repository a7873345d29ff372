import type { PointsRecord } from '../ingest/records.ts'
import type { Person } from './people.ts'
import { seededRandom, type SeededRandom } from './seeded-random.ts'
import { spaces, sprintsOf } from './spaces.ts'

/** What everybody of the demo has on the boards of the spaces; a space's overall board includes its sprints. */
export function* pointsRecords(people: readonly Person[]): Generator<PointsRecord> {
  for (const space of spaces) {
    const random = seededRandom(`points of space ${space.id}`)
    const sprints = sprintsOf(space.id)
    for (const [place, person] of membersOf(random, people, space.members).entries()) {
      const parts = sprints.map((sprint) => (random.chance(sprint.share) ? earned(random, place, space.members) : 0))
      for (const [index, points] of parts.entries()) {
        const sprintId = sprints[index]?.sprintId
        if (points > 0) yield { spaceId: space.id, sprintId, points, ...person }
      }
      const overall = earned(random, place, space.members) + parts.reduce((sum, points) => sum + points, 0)
      yield { spaceId: space.id, points: overall, ...person }
    }
  }
}

/** The community's first people are the keenest: they are in every space, the others here or there. */
function membersOf(random: SeededRandom, people: readonly Person[], count: number): Person[] {
  const keen = Math.min(count, 20)
  const others = people.slice(keen)
  // A Fisher-Yates shuffle of as many as are needed.
  for (let index = 0; index < count - keen; index++) {
    const from = random.whole(index, others.length - 1)
    const person = others[from] as Person
    others[from] = others[index] as Person
    others[index] = person
  }
  return [...people.slice(0, keen), ...others.slice(0, count - keen)]
}

/** Quests give 5, 10, 25, 50 or 100 points, so that many people have equal sums; a few have very many. */
function earned(random: SeededRandom, place: number, members: number): number {
  const typical = 18_000 * ((place + 1) / Math.max(members, 200)) ** -0.35 * 0.02
  const points = typical * Math.exp(0.55 * random.normal())
  return Math.max(5, Math.round(points / 5) * 5)
}
