/** The data of a chart: values at times, as stacked bars or lines. */
export interface ChartData {
  form: 'bars' | 'lines'
  /** Milliseconds since 1970, oldest first. */
  times: readonly number[]
  series: readonly ChartSeries[]
  /** The title of the axis of values. */
  axis: string
  /** The title of the column of times. */
  timeTitle: string
  formatTime: (time: number) => string
  /** Short, for the axis of times. */
  formatTick: (time: number) => string
  format: (value: number) => string
  /** The title of the sum of all series. Without it, no sum is shown. */
  total?: string
  /** Ranks: the lowest value is at the top. */
  lowestFirst?: boolean
}

export interface ChartSeries {
  name: string
  /** One value for each time; null if it is missing. */
  values: readonly (number | null)[]
  /** Whether it is only in the tooltip and the table. */
  notDrawn?: boolean
  /** A colour of chart.css, such as `5xx-0`. Without one, the position of the series decides. */
  colour?: string
}

/** The name of the colour of a drawn series. */
export const colourOf = ({ colour }: ChartSeries, place: number): string => colour ?? String(place)

export const drawnSeries = ({ series }: Pick<ChartData, 'series'>) => series.filter(({ notDrawn }) => !notDrawn)

/** The sum of all series at one time. */
export const totalAt = ({ series }: Pick<ChartData, 'series'>, place: number) =>
  series.reduce((sum, { values }) => sum + (values[place] ?? 0), 0)
