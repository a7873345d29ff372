import type { ChartData } from '../shell/chart-data.ts'
import { shortDayOf, utcDay, utcDayOf } from '../shell/dates.ts'
import { number } from '../shell/numbers.ts'
import { serverApi } from '../texts/index.ts'
import type { UsageQuality } from './usage-quality.ts'
import type { Series, Split, UsageTable } from './usage-series.ts'

const t = serverApi.usage

/** One bar per day, one colour per series. */
export const usageChart = ({ days, series }: UsageTable, split: Split): ChartData => ({
  form: 'bars',
  times: days.map((day) => Date.parse(day)),
  series: series.map((one) => ({
    name: one.name,
    values: one.byDay,
    ...(split === 'status' && { colour: colourOfStatus(one, series) }),
  })),
  axis: t.axis,
  timeTitle: t.day,
  formatTime: utcDayOf,
  formatTick: shortDayOf,
  format: number,
  total: t.total,
})

/** The shades of the colour of a class in chart.css. */
const SHADES = 3
/** The grey of chart.css, for the series of several statuses. */
const OTHER = '4'

/** Each class of statuses has its colour, whichever statuses there are. */
function colourOfStatus({ name }: Series, series: readonly Series[]): string {
  if (!/^[2-5]\d\d$/.test(name)) return OTHER
  const ofClass = series.filter((other) => other.name.length === 3 && other.name[0] === name[0])
  const place = ofClass.findIndex((other) => other.name === name)
  return `${name[0]}xx-${Math.min(place, SHADES - 1)}`
}

const overDays = ({ days }: UsageTable) => ({
  form: 'lines' as const,
  times: days.map((day) => Date.parse(day)),
  timeTitle: t.day,
  formatTime: utcDayOf,
  formatTick: shortDayOf,
})

/** Without requests there is no series. */
const drawn = (series: ChartData['series']) => series.filter(({ values }) => values.some((value) => value !== null))

export const errorChart = (table: UsageTable, { errorRate }: UsageQuality): ChartData => ({
  ...overDays(table),
  series: drawn([{ name: t.errorRate, values: errorRate }]),
  axis: t.errorAxis,
  format: t.percent,
})

export const latencyChart = (table: UsageTable, { p50, p95 }: UsageQuality): ChartData => ({
  ...overDays(table),
  series: drawn([
    { name: t.p50, values: p50 },
    { name: t.p95, values: p95 },
  ]),
  axis: t.latencyAxis,
  format: t.milliseconds,
})

export function describeUsage({ days, totals }: UsageTable): string {
  const most = Math.max(...totals)
  const all = totals.reduce((a, b) => a + b, 0)
  return t.chartLabel(days.length, all, most, utcDay(days[totals.indexOf(most)] ?? ''))
}
