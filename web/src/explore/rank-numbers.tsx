import { Table } from '@mantine/core'
import type { RankDay } from '../api/explore.ts'
import { number } from '../shell/numbers.ts'
import { texts } from '../texts/explore.ts'

const t = texts.space

/** The chart in numbers, the newest first. */
export function RankNumbers({ days }: { days: RankDay[] }) {
  return (
    <div className="rank-numbers" tabIndex={0} role="group" aria-label={texts.history.table}>
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
                {day}
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
