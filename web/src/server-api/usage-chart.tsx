import { type KeyboardEvent, useState } from 'react'
import { shortDay, utcDay } from '../shell/dates.ts'
import { number } from '../shell/numbers.ts'
import { serverApi as texts } from '../texts/index.ts'
import { ticksUpTo, type UsageTable } from './usage-series.ts'

const MAX_DAY_LABELS = 5

/** One bar a day, one colour a series. A pointer or the arrow keys show the numbers of a day; the table has all. */
export function UsageChart({ table }: { table: UsageTable }) {
  const { days, series, totals } = table
  const [shown, setShown] = useState<number>()
  const most = Math.max(...totals)
  const ticks = ticksUpTo(most)
  const top = ticks.at(-1) ?? 1
  const all = totals.reduce((a, b) => a + b, 0)
  const last = days.length - 1
  const labelEvery = Math.ceil(days.length / MAX_DAY_LABELS)
  const move = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    setShown(Math.min(last, Math.max(0, (shown ?? last + 1) + step)))
  }
  return (
    <figure className="chart">
      <div className="chart-plot">
        <div className="chart-ticks" aria-hidden>
          {ticks.map((tick) => (
            <span key={tick}>{number(tick)}</span>
          ))}
        </div>
        <div className="chart-area">
          <div className="chart-lines" aria-hidden>
            {ticks.map((tick) => (
              <span key={tick} />
            ))}
          </div>
          <div
            className="chart-bars"
            role="img"
            tabIndex={0}
            aria-label={texts.usage.chartLabel(days.length, all, most, utcDay(days[totals.indexOf(most)] ?? ''))}
            onKeyDown={move}
            onBlur={() => setShown(undefined)}
            onPointerLeave={() => setShown(undefined)}
          >
            {days.map((day, n) => (
              <div
                key={day}
                className={n === shown ? 'chart-bar shown' : 'chart-bar'}
                onPointerEnter={() => setShown(n)}
              >
                {series.map(({ name, byDay }, place) => (
                  <div
                    key={name}
                    className={`chart-part series-${place}`}
                    style={{ height: `${(100 * (byDay[n] ?? 0)) / top}%` }}
                  />
                ))}
              </div>
            ))}
          </div>
          {shown !== undefined && <DayNumbers table={table} day={shown} />}
        </div>
        <div className="chart-days" aria-hidden>
          {days.map(
            (day, n) =>
              (last - n) % labelEvery === 0 && (
                <span key={day} style={{ left: `${(100 * (n + 0.5)) / days.length}%` }}>
                  {shortDay(day)}
                </span>
              ),
          )}
        </div>
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

/** The numbers of one day, on the side of its bar where there is more room. */
function DayNumbers({ table: { days, series, totals }, day }: { table: UsageTable; day: number }) {
  const isLeft = day < days.length / 2
  const place = isLeft
    ? { left: `${(100 * (day + 1)) / days.length}%` }
    : { right: `${100 - (100 * day) / days.length}%` }
  return (
    <div className="chart-tooltip" role="status" style={place}>
      <strong>{utcDay(days[day] ?? '')}</strong>
      {series.map(({ name, byDay }, n) => (
        <span key={name}>
          <span className={`chart-dot series-${n}`} aria-hidden /> {name}: {number(byDay[day] ?? 0)}
        </span>
      ))}
      <span>
        {texts.usage.total}: {number(totals[day] ?? 0)}
      </span>
    </div>
  )
}
