import type { ChartData } from '../shell/chart-data.ts'
import { shortDayOf, utcDay, utcDayOf } from '../shell/dates.ts'
import { number } from '../shell/numbers.ts'
import { serverApi } from '../texts/index.ts'
import type { UsageTable } from './usage-series.ts'

const t = serverApi.usage

/** One bar a day, one colour a series. */
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

export function describeUsage({ days, totals }: UsageTable): string {
  const most = Math.max(...totals)
  const all = totals.reduce((a, b) => a + b, 0)
  return t.chartLabel(days.length, all, most, utcDay(days[totals.indexOf(most)] ?? ''))
}
