import uPlot from 'uplot'
import { type ChartData, colourOf, drawnSeries } from './chart-data.ts'

/** Distinguish lines without colours. The marks in chart.css have the same patterns. */
const DASHES = [[], [8, 4], [2, 3], [8, 3, 2, 3], [4, 4]]
const LABEL_PX = 80
const FONT = '12px "Inter Variable", system-ui, sans-serif'
const BAR_WIDTH: [number, number] = [0.8, 60]
/** Half of the width of the axis if there is only one time. */
const HALF_DAY = 12 * 60 * 60 * 1_000

const WHOLE_STEPS = Array.from({ length: 15 }, (_, power) => [1, 2, 5].map((step) => step * 10 ** power)).flat()

const colour = (name: string) => (plot: uPlot) => getComputedStyle(plot.root).getPropertyValue(name)

/** The columns that the library draws. Bars are stacked: each column is the sum of its series and those below. */
export function plotData({ form, times, series }: ChartData): uPlot.AlignedData {
  const columns = drawnSeries({ series }).map(({ values }) => [...values])
  if (form === 'lines') return [[...times], ...columns]
  const sums = columns.map((_, n) =>
    times.map((_, place) => columns.slice(0, n + 1).reduce((sum, values) => sum + (values[place] ?? 0), 0)),
  )
  return [[...times], ...sums.reverse()]
}

export function plotOptions(data: ChartData): Omit<uPlot.Options, 'width' | 'height'> {
  const { form, times, lowestFirst = false, format, formatTick, axis } = data
  const drawn = drawnSeries(data)
  const isWhole = drawn.every(({ values }) => values.every((value) => value === null || Number.isInteger(value)))
  const named = drawn.map(colourOf)
  const series = form === 'bars' ? named.toReversed().map(bar) : named.map(line)
  const look = {
    stroke: colour('--mantine-color-dimmed'),
    font: FONT,
    labelFont: FONT,
    grid: { stroke: colour('--mantine-color-default-border'), width: 1 },
    ticks: { stroke: colour('--mantine-color-default-border'), width: 1, size: 4 },
  }
  return {
    legend: { show: false },
    select: { show: false, left: 0, top: 0, width: 0, height: 0 },
    cursor: { y: false, drag: { x: false, y: false }, points: { show: form === 'lines' } },
    scales: {
      x: { time: false, range: () => timeRange(times, form) },
      y: { dir: lowestFirst ? -1 : 1, range: (_, least, most) => valueRange(least, most, lowestFirst) },
    },
    axes: [
      {
        ...look,
        grid: { show: false },
        size: 32,
        splits: (plot) => ticksThatFit(times, plot.width),
        values: (_, ticks) => ticks.map(formatTick),
      },
      {
        ...look,
        label: axis,
        labelSize: 20,
        size: widthOfLabels,
        ...(isWhole && { incrs: WHOLE_STEPS }),
        values: (_, ticks) => ticks.map(format),
      },
    ],
    series: [{}, ...series],
  }
}

const bars = uPlot.paths.bars?.({ size: BAR_WIDTH })

const bar = (name: string): uPlot.Series => ({
  fill: colour(`--chart-${name}`),
  width: 0,
  points: { show: false },
  ...(bars && { paths: bars }),
})

const line = (name: string, place: number): uPlot.Series => ({
  stroke: colour(`--chart-${name}`),
  width: 2,
  dash: DASHES[place % DASHES.length] ?? [],
  points: { size: 5, fill: colour(`--chart-${name}`), filter: shownPoints },
})

/** If values are too close for points, only a value without neighbours has a point, because no line leads to it. */
function shownPoints(plot: uPlot, place: number, show: boolean): number[] | null {
  if (show) return null
  const values = plot.data[place] ?? []
  const isGap = (at: number) => (values[at] ?? null) === null
  return Array.from(values, (_, at) => at).filter((at) => !isGap(at) && isGap(at - 1) && isGap(at + 1))
}

/** Bars need room of half a step at both ends. */
function timeRange(times: readonly number[], form: ChartData['form']): uPlot.Range.MinMax {
  const [first = 0, second] = times
  const last = times.at(-1) ?? first
  if (second === undefined) return [first - HALF_DAY, last + HALF_DAY]
  const room = form === 'bars' ? (second - first) / 2 : 0
  return [first - room, last + room]
}

/** From 0 to above the largest value. Ranks have a margin on both sides, but no rank 0. */
function valueRange(least: number | null, most: number | null, lowestFirst: boolean): uPlot.Range.MinMax {
  if (least === null || most === null || most <= 0) return [0, 1]
  if (!lowestFirst) return [0, uPlot.rangeNum(0, most, 0.1, true)[1]]
  const room = Math.max(1, most - least) / 10
  return [Math.max(0.5, least - room), most + room]
}

/** The last time, and earlier ones with room for their labels. */
function ticksThatFit(times: readonly number[], width: number): number[] {
  const span = (times.at(-1) ?? 0) - (times[0] ?? 0)
  const fit: number[] = []
  for (const time of times.toReversed()) {
    const [next] = fit
    if (next === undefined || (next - time) * width >= LABEL_PX * span) fit.unshift(time)
  }
  return fit
}

/** The axis is as wide as its longest label. */
function widthOfLabels(plot: uPlot, labels: readonly string[] | null, place: number, cycle: number): number {
  const axis = plot.axes[place] as uPlot.Axis & { _size: number }
  if (cycle > 1) return axis._size
  plot.ctx.font = FONT
  const widths = (labels ?? []).map((label) => plot.ctx.measureText(label).width)
  return Math.ceil(Math.max(0, ...widths)) + 10
}
