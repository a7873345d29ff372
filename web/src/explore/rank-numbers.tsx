import { Table } from '@mantine/core'
import type { RankDay } from '../api/explore.ts'
import { utcDay } from '../shell/dates.ts'
import { number } from '../shell/numbers.ts'
import { explore as texts, shell } from '../texts/index.ts'

const t = texts.space

/** The chart in numbers, the newest first. */
export function RankNumbers({ days }: { days: RankDay[] }) {
  return (
    <div className="rank-numbers" tabIndex={0} role="group" aria-label={shell.view.table}>
      <Table verticalSpacing={4}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{texts.history.day}</Table.Th>
            <Table.Th ta="right">{t.rank}</Table.Th>
            <Table.Th ta="right">{t.points}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {days.toReversed().map(({ day, rank, points }) => (
            <Table.Tr key={day}>
              <Table.Th scope="row" className="nowrap">
                {day === texts.history.now ? day : utcDay(day)}
              </Table.Th>
              <Table.Td ta="right">{number(rank)}</Table.Td>
              <Table.Td ta="right">{number(points)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  )
}
