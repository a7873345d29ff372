import type { Usage } from '../api/tokens.ts'
import { Chart } from '../shell/chart.tsx'
import { Section } from '../shell/section.tsx'
import { serverApi } from '../texts/index.ts'
import { errorChart, latencyChart } from './usage-chart.ts'
import { isUsed, qualityOf } from './usage-quality.ts'
import type { UsageTable } from './usage-series.ts'

const t = serverApi.usage

/** The errors and durations of the requests of a table. Empty without requests, because the table says so. */
export function Quality({ usage, latencyBounds, table }: Omit<Usage, 'since'> & { table: UsageTable }) {
  if (!usage.some(isUsed)) return null
  const quality = qualityOf(usage, latencyBounds, table.days)
  return (
    <>
      <Section title={t.errors} lead={t.errorsLead}>
        <Chart data={errorChart(table, quality)} label={t.errorsLabel(table.days.length)} empty={t.none} />
      </Section>
      <Section title={t.latency} lead={t.latencyLead}>
        <Chart data={latencyChart(table, quality)} label={t.latencyLabel(table.days.length)} empty={t.none} />
      </Section>
    </>
  )
}
