import { useQuery } from '@tanstack/react-query'
import { allUsageQuery } from '../api/operator.ts'
import { Quality } from '../server-api/quality.tsx'
import { describeUsage, usageChart } from '../server-api/usage-chart.ts'
import { tabulate } from '../server-api/usage-series.ts'
import { Chart } from '../shell/chart.tsx'
import { Loading } from '../shell/loading.tsx'
import { Section } from '../shell/section.tsx'
import { LoadFailure } from '../shell/load-failure.tsx'
import { serverApi } from '../texts/index.ts'
import { operator } from '../texts/operator-pages.ts'

const t = serverApi.usage
const DAYS = 30
export const trafficQuery = allUsageQuery(DAYS)

/** The requests of all tokens by day, with errors and durations. */
export function Traffic() {
  const read = useQuery(trafficQuery)
  if (read.isLoadingError) return <LoadFailure error={read.error} retry={() => void read.refetch()} />
  if (!read.data) return <Loading />
  const { since, latencyBounds, usage } = read.data
  const table = tabulate(usage, since, DAYS, 'status', t.rest)
  return (
    <>
      <Section title={t.perDay} lead={operator.health.traffic}>
        <Chart data={usageChart(table, 'status')} label={describeUsage(table)} empty={t.none} />
      </Section>
      <Quality usage={usage} latencyBounds={latencyBounds} table={table} />
    </>
  )
}
