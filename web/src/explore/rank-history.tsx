import { Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type RankDay, ranksQuery } from '../api/explore.ts'
import { type ChartForm, ChartOrTable } from '../shell/chart-or-table.tsx'
import { Loading } from '../shell/loading.tsx'
import { Unreadable } from '../shell/unreadable.tsx'
import { explore as texts } from '../texts/index.ts'
import { RankChart } from './rank-chart.tsx'
import { RankNumbers } from './rank-numbers.tsx'

const t = texts.history

interface RankHistoryProps {
  member: { name: string; address: string }
  now: { rank: number; points: number }
  spaceId: string
  sprintId: number | undefined
}

/** The rank of a member on each day and now, as a chart or a table. */
export function RankHistory({ member, now, spaceId, sprintId }: RankHistoryProps) {
  const [form, setForm] = useState<ChartForm>('chart')
  const read = useQuery(ranksQuery(spaceId, sprintId, member.address))
  if (read.isPending) return <Loading />
  if (read.isError) return <Unreadable error={read.error} retry={() => void read.refetch()} />
  const { days, places } = read.data
  if (days.length === 0) return <Text size="sm">{t.none(places)}</Text>
  const all: RankDay[] = [...days, { day: t.now, ...now }]
  return (
    <div className="rank-history">
      <Group justify="space-between">
        <Text size="sm" fw={500}>
          {t.title}
        </Text>
        <ChartOrTable size="xs" form={form} onChange={setForm} />
      </Group>
      {form === 'chart' ? <RankChart name={member.name} days={all} /> : <RankNumbers days={all} />}
    </div>
  )
}
