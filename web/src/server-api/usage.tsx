import './server-api.css'
import { NativeSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { REFUSED, usageQuery } from '../api/tokens.ts'
import { Chart } from '../shell/chart.tsx'
import { Loading } from '../shell/loading.tsx'
import { PageLayout } from '../shell/page-layout.tsx'
import { Section } from '../shell/section.tsx'
import { LoadFailure } from '../shell/load-failure.tsx'
import { serverApi as texts } from '../texts/index.ts'
import { QuotaToday } from './quota-today.tsx'
import { Quality } from './quality.tsx'
import { describeUsage, usageChart } from './usage-chart.ts'
import { isUsed } from './usage-quality.ts'
import { type Split, tabulate } from './usage-series.ts'

const t = texts.usage
const choices = <Key extends string>(labels: Record<Key, string>) =>
  Object.entries<string>(labels).map(([value, label]) => ({ value, label }))

/** `/settings/server-api/usage` */
export default function UsagePage() {
  return (
    <PageLayout title={t.title} lead={t.lead}>
      <Usage />
    </PageLayout>
  )
}

/** The requests of the tokens: today's share of the quota, and each day as a chart or a table. */
function Usage() {
  const [days, setDays] = useState('30')
  const [split, setSplit] = useState<Split>('operation')
  const [tokenId, setTokenId] = useState('')
  const read = useQuery({ ...usageQuery(Number(days)), placeholderData: (before) => before })
  if (read.isPending) return <Loading />
  if (read.isError) return <LoadFailure error={read.error} retry={() => void read.refetch()} />
  const { since, latencyBounds, usage } = read.data
  const chosen = usage.filter((one) => tokenId === '' || one.tokenId === tokenId)
  const counted = tabulate(chosen, since, Number(days), split, t.rest)
  const table = {
    ...counted,
    series: counted.series.map((one) => (one.name === REFUSED ? { ...one, name: texts.requests.refused } : one)),
  }
  return (
    <>
      {usage.some(isUsed) && (
        <Section title={t.today}>
          <QuotaToday usage={usage} />
        </Section>
      )}
      <Section title={t.perDay}>
        <Chart data={usageChart(table, split)} label={describeUsage(table)} empty={t.none}>
          <div className="usage-controls">
            <NativeSelect
              label={t.days}
              value={days}
              onChange={(event) => setDays(event.currentTarget.value)}
              data={choices(t.dayChoices)}
            />
            <NativeSelect
              label={t.token}
              value={tokenId}
              onChange={(event) => setTokenId(event.currentTarget.value)}
              data={[
                { value: '', label: t.allTokens },
                ...usage.map((one) => ({ value: one.tokenId, label: one.name })),
              ]}
            />
            <NativeSelect
              label={t.by}
              value={split}
              onChange={(event) => setSplit(event.currentTarget.value as Split)}
              data={choices(t.splits)}
            />
          </div>
        </Chart>
      </Section>
      <Quality usage={chosen} latencyBounds={latencyBounds} table={table} />
    </>
  )
}
