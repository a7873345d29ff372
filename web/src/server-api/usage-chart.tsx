import { Text } from '@mantine/core'
import { texts } from '../texts/server-api.ts'
import { number } from '../shell/numbers.ts'
import type { UsageTable } from './usage-series.ts'

/** One bar a day, one colour a series. The numbers stand in the table, which says the same. */
export function UsageChart({ table: { days, series, totals } }: { table: UsageTable }) {
  const most = Math.max(1, ...totals)
  const peak = days[totals.indexOf(Math.max(...totals))] ?? ''
  const all = totals.reduce((a, b) => a + b, 0)
  return (
    <figure className="chart">
      <Text size="xs" c="dimmed" className="chart-top">
        {number(most)}
      </Text>
      <div
        className="chart-bars"
        role="img"
        aria-label={texts.usage.chartLabel(days.length, number(all), number(most), peak)}
      >
        {days.map((day, n) => (
          <div key={day} className="chart-bar" title={`${day}: ${number(totals[n] ?? 0)}`}>
            {series.map(({ name, byDay }, place) => (
              <div
                key={name}
                className={`chart-part series-${place}`}
                style={{ height: `${(100 * (byDay[n] ?? 0)) / most}%` }}
              />
            ))}
          </div>
        ))}
      </div>
      <div className="chart-days">
        <Text size="xs" c="dimmed">
          {days[0]}
        </Text>
        <Text size="xs" c="dimmed">
          {days.at(-1)}
        </Text>
      </div>
      <ul className="chart-legend">
        {series.map(({ name, total }, place) => (
          <li key={name}>
            <span className={`chart-dot series-${place}`} aria-hidden /> <span className="mono">{name}</span>{' '}
            {number(total)}
          </li>
        ))}
      </ul>
    </figure>
  )
}
