import { Table } from '@mantine/core'
import { serverApi as texts, shell } from '../texts/index.ts'
import { utcDay } from '../shell/dates.ts'
import { number } from '../shell/numbers.ts'
import type { UsageTable } from './usage-series.ts'

const t = texts.usage

/** The chart in numbers, the newest day first; days without a query are left out. */
export function UsageNumbers({ table: { days, series, totals } }: { table: UsageTable }) {
  const rows = days.map((day, n) => ({ day, n, total: totals[n] ?? 0 })).filter(({ total }) => total > 0)
  return (
    <div className="wide-table" tabIndex={0} role="group" aria-label={shell.view.table}>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t.day}</Table.Th>
            {series.map(({ name }) => (
              <Table.Th key={name} ta="right" className="mono">
                {name}
              </Table.Th>
            ))}
            <Table.Th ta="right">{t.total}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.reverse().map(({ day, n, total }) => (
            <Table.Tr key={day}>
              <Table.Th scope="row" className="nowrap">
                {utcDay(day)}
              </Table.Th>
              {series.map(({ name, byDay }) => (
                <Table.Td key={name} ta="right">
                  {number(byDay[n] ?? 0)}
                </Table.Td>
              ))}
              <Table.Td ta="right">{number(total)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  )
}
