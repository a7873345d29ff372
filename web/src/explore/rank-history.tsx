import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type RankDay, ranksQuery } from '../api/explore.ts'
import { Chart } from '../shell/chart.tsx'
import type { ChartData } from '../shell/chart-data.ts'
import { shortDayOf, utcDayOf } from '../shell/dates.ts'
import { Loading } from '../shell/loading.tsx'
import { number } from '../shell/numbers.ts'
import { LoadFailure } from '../shell/load-failure.tsx'
import { explore as texts } from '../texts/index.ts'

const t = texts.history

interface RankHistoryProps {
  member: { name: string; address: string }
  now: { rank: number; points: number }
  spaceId: string
  sprintId: number | undefined
}

/** The rank of a member on each day and now, as a chart or a table. */
export function RankHistory({ member, now, spaceId, sprintId }: RankHistoryProps) {
  const [openedAt] = useState(() => Date.now())
  const read = useQuery(ranksQuery(spaceId, sprintId, member.address))
  if (read.isPending) return <Loading />
  if (read.isError) return <LoadFailure error={read.error} retry={() => void read.refetch()} />
  const { days, places } = read.data
  if (days.length === 0) return <Text size="sm">{t.none(places)}</Text>
  const ranks = [...days.map(({ rank }) => rank), now.rank]
  return (
    <div className="rank-history">
      <Chart
        data={rankChart(days, now, openedAt)}
        label={t.label(member.name, days.length, Math.min(...ranks), Math.max(...ranks), now.rank)}
      >
        <Text size="sm" fw={500}>
          {t.title}
        </Text>
      </Chart>
    </div>
  )
}

/** A line that rises when the rank gets better. `days`: oldest first. */
function rankChart(days: RankDay[], now: RankHistoryProps['now'], openedAt: number): ChartData {
  const times = [...days.map(({ day }) => Date.parse(day)), openedAt]
  const format = (formatDay: (time: number) => string) => (time: number) =>
    time === openedAt ? t.now : formatDay(time)
  return {
    form: 'lines',
    times,
    series: [
      { name: texts.space.rank, values: [...days.map(({ rank }) => rank), now.rank] },
      { name: texts.space.points, values: [...days.map(({ points }) => points), now.points], notDrawn: true },
    ],
    axis: texts.space.rank,
    timeTitle: t.day,
    formatTime: format(utcDayOf),
    formatTick: format(shortDayOf),
    format: number,
    lowestFirst: true,
  }
}
