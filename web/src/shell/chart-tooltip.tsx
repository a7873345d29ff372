import { type ChartData, colourOf, drawnSeries, totalAt } from './chart-data.ts'

interface ChartTooltipProps {
  data: ChartData
  shown: { index: number; left: number } | undefined
  /** The width of the chart. */
  width: number
}

/** The values of one time, on the side where there is more room. The region stays, so that it is read aloud. */
export function ChartTooltip({ data, shown, width }: ChartTooltipProps) {
  const { form, times, series, format, formatTime, total } = data
  if (!shown) return <div className="chart-tooltip" role="status" />
  const { index, left } = shown
  const drawn = drawnSeries(data)
  return (
    <div className="chart-tooltip" role="status" style={left < width / 2 ? { left } : { right: width - left }}>
      <strong>{formatTime(times[index] ?? 0)}</strong>
      {series.map((one) => {
        const value = one.values[index] ?? null
        return (
          value !== null && (
            <span key={one.name}>
              {!one.notDrawn && (
                <span className={`chart-mark ${form} series-${colourOf(one, drawn.indexOf(one))}`} aria-hidden />
              )}{' '}
              {one.name}: {format(value)}
            </span>
          )
        )
      })}
      {total !== undefined && (
        <span>
          {total}: {format(totalAt(data, index))}
        </span>
      )}
    </div>
  )
}
