import type { RankDay } from '../api/explore.ts'
import { utcDay } from '../shell/dates.ts'
import { number } from '../shell/numbers.ts'
import { explore as texts } from '../texts/index.ts'

const WIDTH = 600
const HEIGHT = 160
const MARGIN = 8

/** A line that rises when the rank gets better. `days`: oldest first, the last one is now. */
export function RankChart({ name, days }: { name: string; days: RankDay[] }) {
  const ranks = days.map(({ rank }) => rank)
  const best = Math.min(...ranks)
  const worst = Math.max(...ranks)
  const x = (place: number) => MARGIN + (place / Math.max(1, days.length - 1)) * (WIDTH - 2 * MARGIN)
  const y = (rank: number) => MARGIN + ((rank - best) / Math.max(1, worst - best)) * (HEIGHT - 2 * MARGIN)
  const points = days.map(({ rank }, place) => `${x(place).toFixed(1)},${y(rank).toFixed(1)}`)
  const label = texts.history.label(name, days.length - 1, best, worst, ranks.at(-1) ?? best)
  return (
    <figure className="rank-chart">
      <div className="rank-chart-side" aria-hidden>
        <span>{number(best)}</span>
        {worst > best && <span>{number(worst)}</span>}
      </div>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={label}>
        <polyline points={points.join(' ')} vectorEffect="non-scaling-stroke" />
      </svg>
      <div className="rank-chart-days" aria-hidden>
        <span>{utcDay(days[0]?.day ?? '')}</span>
        <span>{texts.history.now}</span>
      </div>
    </figure>
  )
}
