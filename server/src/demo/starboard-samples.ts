import { DAY, HOUR, MINUTE } from '../clock.ts'
import type { SampleRecord } from '../ingest/records.ts'
import { seededRandom } from './seeded-random.ts'
import { DAYS_OF_SAMPLES, type DemoUser } from './starboard-users.ts'
import type { DemoStarboard } from './starboards.ts'

/** Samples are dated ahead for this long, so that the demo goes on moving after it was loaded. */
const DAYS_AHEAD = 7
/** Those at the top of a board are measured hourly on the first day. */
const HOURLY_USERS = 60
const SINCE_LAST_ROUND = 10 * MINUTE

interface Walk {
  /** Natural logarithm of the score. */
  level: number
  /** Growth a day. */
  trend: number
  individualShare: number
}

/**
 * Daily samples of every user since they joined: scores fall off with the rank like real ones, each with a trend,
 * noise, and now and then a post that goes round.
 */
export function* sampleRecords(board: DemoStarboard, users: readonly DemoUser[], now: number): Generator<SampleRecord> {
  const random = seededRandom(`samples of starboard ${board.id}`)
  const newest = now - SINCE_LAST_ROUND
  const walks = users.map((_, place): Walk => ({
    level: Math.log((board.topScore * 5 ** 0.9) / (place + 5) ** 0.9) + 0.2 * random.normal(),
    trend: 0.003 * random.normal() + (random.chance(0.06) ? 0.015 : 0),
    individualShare: 0.25 + 0.5 * random.next(),
  }))

  function sample(place: number, at: number, days: number) {
    const walk = walks[place] as Walk
    walk.level +=
      walk.trend * days + 0.035 * Math.sqrt(days) * random.normal() + (random.chance(0.008 * days) ? 0.35 : 0)
    const score = Math.exp(walk.level)
    const individual = Math.round(score * walk.individualShare)
    return {
      starboardId: board.id,
      handle: (users[place] as DemoUser).profile.username,
      sampledAt: new Date(at),
      score: score.toFixed(2),
      individual,
      aura: Math.round(score) - individual,
    }
  }

  for (let day = DAYS_OF_SAMPLES; day > -DAYS_AHEAD; day--) {
    for (const [place, user] of users.entries()) if (user.joined >= day) yield sample(place, newest - day * DAY, 1)
    if (day !== 0) continue
    for (let hour = 1; hour < 24; hour++)
      for (let place = 0; place < Math.min(HOURLY_USERS, users.length); place++)
        yield sample(place, newest + hour * HOUR, 1 / 24)
  }
}
