import type { ChartData } from '../shell/chart-data.ts'
import { shortDayOf, utcDay, utcDayOf } from '../shell/dates.ts'
import { number } from '../shell/numbers.ts'
import { serverApi } from '../texts/index.ts'
import type { UsageQuality } from './usage-quality.ts'
import type { UsageTable } from './usage-series.ts'

const t = serverApi.usage

/** One bar per day, one colour per series. */
export const usageChart = ({ days, series }: UsageTable): ChartData => ({
  form: 'bars',
  times: days.map((day) => Date.parse(day)),
  series: series.map(({ name, byDay }) => ({ name, values: byDay })),
  axis: t.axis,
  timeTitle: t.day,
  formatTime: utcDayOf,
  formatTick: shortDayOf,
  format: number,
  total: t.total,
})

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
